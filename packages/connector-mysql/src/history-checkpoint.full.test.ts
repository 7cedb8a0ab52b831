/** The tests of history-checkpoint.server.test.ts, each on the other server. */
import { useMariaDb, useMySql } from '@tributary/testkit'
import { testLoss, testOtherHistory, testStart } from './testing/checkpointed-history.ts'

testStart('MariaDB', useMariaDb)
testLoss('MySQL', useMySql)
testOtherHistory('MySQL', useMySql)
