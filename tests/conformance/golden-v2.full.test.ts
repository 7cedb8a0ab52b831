/** The golden scripts in record format v2 that golden-v2.server.test.ts does not run. */
import { describe } from 'node:test'
import { startMariaDb, startMySql } from '@tributary/testkit'
import { exclusiveCasesV2, moreCasesV2 } from './golden-cases.ts'
import { RECORDED_MARIADB, testCases } from './golden-suite.ts'

const servers = { mysql: startMySql, mariadb: () => startMariaDb(RECORDED_MARIADB) }

describe('all parts of a record in v2 equal the reference', { concurrency: 4 }, () => {
  testCases(moreCasesV2, servers)
})

describe('all parts of a record in v2 equal the reference: transactions', () => testCases(exclusiveCasesV2, servers))
