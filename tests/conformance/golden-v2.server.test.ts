/**
 * Record format v2: records equal those of Debezium 3.6 in every part, and so does the stored offset;
 * golden-v2.full.test.ts runs the others.
 */
import { describe } from 'node:test'
import { startMariaDb, startMySql } from '@tributary/testkit'
import { quickCasesV2 } from './golden-cases.ts'
import { RECORDED_MARIADB, testCases } from './golden-suite.ts'

describe('all parts of a record in v2 equal the reference', { concurrency: true }, () => {
  // A server of its own: its scripts use the same database names as golden.server.test.ts, which may run at the same
  // time.
  testCases(quickCasesV2, { mysql: startMySql, mariadb: () => startMariaDb(RECORDED_MARIADB) })
})
