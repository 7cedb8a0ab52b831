/** As binlog-reset.server.test.ts, on MySQL without GTIDs. */
import { startMySql } from '@tributary/testkit'
import { testResets } from '../testing/binlog-resets.ts'

testResets('MySQL without GTIDs', {
  start: () => startMySql({ gtid: false }),
  reset: 'RESET BINARY LOGS AND GTIDS',
  hasGtids: false,
})
