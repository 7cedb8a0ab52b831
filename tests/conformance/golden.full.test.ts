/** The golden scripts that golden.server.test.ts leaves out. Some set global variables: the servers are of this file only. */
import { describe } from 'node:test'
import { startMariaDb, startMySql } from '@tributary/testkit'
import { jsonCases, lonelyCases, moreCases } from './golden-cases.ts'
import { RECORDED_MARIADB, testCases } from './golden-suite.ts'

const servers = { mysql: startMySql, mariadb: () => startMariaDb(RECORDED_MARIADB) }

// More at once would only wait for each other: a script has up to five connectors.
describe('records are those of the reference, but where it is wrong', { concurrency: 4 }, () => {
  testCases(moreCases, servers)
})

describe('and under options of the JSON converter', () => testCases(jsonCases, servers))

describe('scripts that name databases beside their own', () => testCases(lonelyCases, servers))
