/** Histories that are lost, each kind on one of the servers; history-lost.full.test.ts has the other combinations. */
import { startMariaDb, startMySql } from '@tributary/testkit'
import { testLostHistories } from './testing/lost-histories.ts'

testLostHistories('mysql', startMySql, {
  MINIMAL: ['deleted', 'without its first half', 'of another connector'],
})

testLostHistories('mariadb', startMariaDb, {
  NO_LOG: ['emptied by retention'],
  FULL: ['with damaged records'],
})
