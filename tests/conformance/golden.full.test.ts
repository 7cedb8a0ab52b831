/**
 * The golden scripts that golden.server.test.ts leaves out. Some set global variables: the servers are for this file
 * only.
 */
import { describe } from 'node:test'
import { startMariaDb, startMySql } from '@tributary/testkit'
import { jsonCases, lonelyCases, moreCases } from './golden-cases.ts'
import { RECORDED_MARIADB, testCases } from './golden-suite.ts'

const servers = { mysql: startMySql, mariadb: () => startMariaDb(RECORDED_MARIADB) }

// More at the same time would only wait for each other: a script has up to five connectors.
describe('records equal the reference, except where it is wrong', { concurrency: 4 }, () => {
  testCases(moreCases, servers)
})

describe('and under options of the JSON converter', () => testCases(jsonCases, servers))

describe('scripts that name databases beside their own', () => testCases(lonelyCases, servers))
