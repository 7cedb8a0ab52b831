/** A few of the golden scripts, for every change of the code; golden.full.test.ts runs the others. */
import { describe } from 'node:test'
import { startMariaDb, useMySql } from '@tributary/testkit'
import { quickCases } from './golden-cases.ts'
import { RECORDED_MARIADB, testCases } from './golden-suite.ts'

describe('records equal the reference, except for deliberate differences', { concurrency: true }, () => {
  testCases(quickCases, { mysql: useMySql, mariadb: () => startMariaDb(RECORDED_MARIADB) })
})
