/** Each cell of the table in docs/reference/start-up.md on one server; start-up.full.test.ts tries it on the other. */
import { startMariaDb, startMySql } from '@tributary/testkit'
import { testStartUp } from './testing/start-up-table.ts'

testStartUp('MySQL', startMySql, 'even')
testStartUp('MariaDB', startMariaDb, 'odd')
