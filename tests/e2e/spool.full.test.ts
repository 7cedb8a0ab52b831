/** The brokers are unreachable while the server writes, purges, restarts, and the worker is killed. */
import { test } from 'node:test'
import { type DatabaseServer, startMariaDb, startMySql } from '@tributary/testkit'
import { surviveOutage } from './spool/outage.ts'

const SERVERS: readonly (readonly [name: string, start: () => Promise<DatabaseServer>])[] = [
  ['MySQL with GTIDs', () => startMySql()],
  ['MySQL without GTIDs', () => startMySql({ gtid: false })],
  ['MariaDB', () => startMariaDb()],
]

for (const [name, start] of SERVERS) {
  test(`${name}: an outage of the brokers with a restart of the server, purges and a kill loses nothing`, async (t) => {
    const { transactions, records, repeated, spoolBytes } = await surviveOutage({
      start,
      seconds: 12,
      perSecond: 1000,
      restartsDatabase: true,
    })
    t.diagnostic(`${transactions} transactions, ${records} records, ${repeated} repeated, ${spoolBytes} bytes of spool`)
  })
}
