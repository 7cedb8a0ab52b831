/** The large transactions that rolled-back-rows.server.test.ts leaves out. */
import { startMySql } from '@tributary/testkit'
import { isLarge, testRolledBack } from '../testing/rolled-back-rows.ts'

testRolledBack('MySQL', () => startMySql({ gtid: false }), isLarge)
