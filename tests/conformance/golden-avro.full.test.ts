/**
 * All golden scripts in Avro: Java reads from it what the JSON converter writes. The servers are for this file only.
 */
import { describe } from 'node:test'
import { startMariaDb, startMySql } from '@tributary/testkit'
import { sharedAvroCases } from './avro/avro-cases.ts'
import { testAvroCases } from './avro/golden-avro.ts'
import { lonelyCases } from './golden-cases.ts'
import { RECORDED_MARIADB } from './golden-suite.ts'

const servers = { mysql: () => startMySql(), mariadb: () => startMariaDb(RECORDED_MARIADB) }

/**
 * Apicurio Registry 3.0.9 refuses, by Confluent's interface, every schema in which a default is the text `{}`: "Failed
 * to discover artifact type from content". By its own interface it accepts them.
 */
const odd = sharedAvroCases.find(({ name }) => name === 'm01_types')

// More at the same time would only wait for each other.
describe('records in Avro are those in JSON', { concurrency: 4 }, () => {
  testAvroCases(
    sharedAvroCases.filter(({ name }) => name !== odd?.name),
    servers,
  )
})

describe('and by Apicurio’s own interface', () =>
  testAvroCases([{ name: '00_smoke' }, ...(odd === undefined ? [] : [odd])], servers, 'apicurio'))

describe('and where only values are Avro', () => testAvroCases([{ name: '15_keys' }], servers, 'mixed'))

describe('scripts that name databases beside their own, in Avro', () => testAvroCases(lonelyCases, servers))
