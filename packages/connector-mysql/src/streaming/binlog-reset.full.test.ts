/** The cases that binlog-reset.server.test.ts leaves out, and all on MySQL without GTIDs. */
import { startMariaDb, startMySql } from '@tributary/testkit'
import { testResets } from '../testing/binlog-resets.ts'

testResets('MySQL with GTIDs', {
  start: () => startMySql({ gtid: true }),
  reset: 'RESET BINARY LOGS AND GTIDS',
  hasGtids: true,
  cases: { stopped: [0], streaming: [2, 60], others: ['snapshot', 'purged'] },
})

testResets('MariaDB', {
  start: () => startMariaDb({ args: ['--server-id=77'] }),
  reset: 'RESET MASTER',
  hasGtids: true,
  cases: { stopped: [60], streaming: [0, 2], others: ['restarts'] },
})

testResets('MySQL without GTIDs', {
  start: () => startMySql({ gtid: false }),
  reset: 'RESET BINARY LOGS AND GTIDS',
  hasGtids: false,
  cases: { stopped: [0, 60], streaming: [0, 2, 60], others: ['snapshot', 'restarts'] },
})
