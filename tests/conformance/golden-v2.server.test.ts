/** Record format v2: records are those of Debezium 3.6 in every part, and so is the stored offset; golden-v2.full.test.ts runs the others. */
import { describe } from 'node:test'
import { startMariaDb, startMySql } from '@tributary/testkit'
import { quickCasesV2 } from './golden-cases.ts'
import { RECORDED_MARIADB, testCases } from './golden-suite.ts'

describe('all of a record in v2 is that of the reference', { concurrency: true }, () => {
  // A server of its own: its scripts have databases of the names that golden.server.test.ts uses, which may run at once.
  testCases(quickCasesV2, { mysql: startMySql, mariadb: () => startMariaDb(RECORDED_MARIADB) })
})
