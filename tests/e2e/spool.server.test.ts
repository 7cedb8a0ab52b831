/** Fast case of `spool.full.test.ts`: one server, an outage of some seconds. */
import { test } from 'node:test'
import { startMySql } from '@tributary/testkit'
import { surviveOutage } from './spool/outage.ts'

test('brokers unreachable, binlog purged and worker killed meanwhile: the spool has every transaction', async (t) => {
  const { transactions, records, repeated, spoolBytes } = await surviveOutage({
    start: () => startMySql(),
    seconds: 1.5,
    perSecond: 500,
  })
  t.diagnostic(`${transactions} transactions, ${records} records, ${repeated} repeated, ${spoolBytes} bytes of spool`)
})
