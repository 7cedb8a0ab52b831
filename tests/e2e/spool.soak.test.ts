/** Ten minutes without brokers at 1,000 transactions per second; SPOOL_OUTAGE_SECONDS changes the time. */
import { test } from 'node:test'
import { startMySql } from '@tributary/testkit'
import { surviveOutage } from './spool/outage.ts'

const SECONDS = Number(process.env['SPOOL_OUTAGE_SECONDS'] ?? 600)

test(`MySQL: ${SECONDS} s without brokers at 1,000 transactions per second lose nothing`, async (t) => {
  const { transactions, records, repeated, spoolBytes } = await surviveOutage({
    start: () => startMySql(),
    seconds: SECONDS,
    perSecond: 1000,
  })
  t.diagnostic(`${transactions} transactions, ${records} records, ${repeated} repeated, ${spoolBytes} bytes of spool`)
})
