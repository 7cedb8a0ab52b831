/**
 * All golden scripts in Avro: Java reads the Avro records, and the result equals the output of the JSON converter. The
 * servers are for this file only.
 */
import { describe } from 'node:test'
import { startMariaDb, startMySql } from '@tributary/testkit'
import { exclusiveAvroCases, sharedAvroCases } from './avro/avro-cases.ts'
import { testAvroCases } from './avro/golden-avro.ts'
import { RECORDED_MARIADB } from './golden-suite.ts'

const servers = { mysql: () => startMySql(), mariadb: () => startMariaDb(RECORDED_MARIADB) }

/**
 * Through Confluent's interface, Apicurio Registry 3.0.9 refuses every schema in which a default is the text `{}`:
 * "Failed to discover artifact type from content". Through its own interface it accepts them.
 */
const odd = sharedAvroCases.find(({ name }) => name === 'm01_types')

// With more at the same time, the scripts would only wait for each other.
describe('records in Avro equal those in JSON', { concurrency: 4 }, () => {
  testAvroCases(
    sharedAvroCases.filter(({ name }) => name !== odd?.name),
    servers,
  )
})

describe('records in Avro equal those in JSON through Apicurio’s own interface', () =>
  testAvroCases([{ name: '00_smoke' }, ...(odd === undefined ? [] : [odd])], servers, 'apicurio'))

describe('records with JSON keys and Avro values equal those in JSON', () =>
  testAvroCases([{ name: '15_keys' }], servers, 'mixed'))

describe('records in Avro equal those in JSON: scripts that need their server alone', () =>
  testAvroCases(exclusiveAvroCases, servers))
