/** The combinations that history-lost.server.test.ts leaves out. */
import { startMariaDb, startMySql } from '@tributary/testkit'
import { testLostHistories } from './testing/lost-histories.ts'

testLostHistories('mysql', startMySql, {
  MINIMAL: ['emptied by retention', 'with damaged records'],
  FULL: ['deleted', 'emptied by retention', 'of another connector', 'without its first half', 'with damaged records'],
})

testLostHistories('mariadb', startMariaDb, {
  NO_LOG: ['deleted', 'of another connector', 'without its first half', 'with damaged records'],
  FULL: ['deleted', 'emptied by retention', 'of another connector', 'without its first half'],
})
