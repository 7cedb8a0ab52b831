/** Histories that are lost, one of each kind on each server; history-lost.full.test.ts has the other combinations. */
import { startMariaDb, startMySql } from '@tributary/testkit'
import { testLostHistories } from './testing/lost-histories.ts'

testLostHistories('mysql', startMySql, {
  MINIMAL: [
    'deleted',
    'emptied by retention',
    'of another connector',
    'without its first half',
    'with damaged records',
  ],
  FULL: ['deleted'],
})

testLostHistories('mariadb', startMariaDb, {
  NO_LOG: ['deleted', 'without its first half'],
  FULL: ['with damaged records'],
})
