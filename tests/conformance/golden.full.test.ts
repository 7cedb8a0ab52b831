/**
 * The golden scripts that golden.server.test.ts does not run. Some set global variables: the servers are for this file
 * only.
 */
import { describe } from 'node:test'
import { startMariaDb, startMySql } from '@tributary/testkit'
import { jsonCases, exclusiveCases, moreCases } from './golden-cases.ts'
import { RECORDED_MARIADB, testCases } from './golden-suite.ts'

const servers = { mysql: startMySql, mariadb: () => startMariaDb(RECORDED_MARIADB) }

// With more at the same time, the scripts would only wait for each other: each has up to five connectors.
describe('records equal the reference, except for deliberate differences', { concurrency: 4 }, () => {
  testCases(moreCases, servers)
})

describe('records equal the reference with options of the JSON converter', () => testCases(jsonCases, servers))

describe('records equal the reference: scripts that use databases of others', () => testCases(exclusiveCases, servers))
