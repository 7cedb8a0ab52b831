/** The cells that start-up.server.test.ts tries on the other server. */
import { startMariaDb, startMySql } from '@tributary/testkit'
import { testStartUp } from './testing/start-up-table.ts'

testStartUp('MySQL', startMySql, 'odd')
testStartUp('MariaDB', startMariaDb, 'even')
