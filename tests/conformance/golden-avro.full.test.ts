/** All golden scripts in Avro: what Java reads of it is what the JSON converter writes. The servers are of this file only. */
import { describe } from 'node:test'
import { startMariaDb, startMySql } from '@tributary/testkit'
import { testAvroCases } from './avro/golden-avro.ts'
import type { GoldenCase } from './conformance.ts'
import { lonelyCases, moreCases, quickCases } from './golden-cases.ts'
import { RECORDED_MARIADB } from './golden-suite.ts'

const servers = { mysql: () => startMySql(), mariadb: () => startMariaDb(RECORDED_MARIADB) }

/**
 * Apicurio Registry 3.0.9 takes no schema by Confluent's interface, from anybody, in which a default is the text `{}`: "Failed to discover
 * artifact type from content". By its own interface it does.
 */
const odd = quickCases.find(({ name }) => name === 'm01_types')

/** What is of interest here only. No script for what this version refuses: spatial types, transformations, masks, incremental snapshots. */
const avroCases: readonly GoldenCase[] = [
  { name: '14_identifiers_comments', variants: ['avro-unicode'] },
  { name: '27_charsets_db' },
]

/** One case for each script: its variants use the same databases, and take turns. */
function byScript(cases: readonly GoldenCase[]): readonly GoldenCase[] {
  return [...Map.groupBy(cases, ({ name }) => name).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return []
    const variants = [first, ...more].flatMap((golden) => golden.variants ?? [''])
    return [{ ...first, variants }]
  })
}

// More at once would only wait for each other.
describe('records in Avro are those in JSON', { concurrency: 4 }, () => {
  testAvroCases(
    byScript([...quickCases, ...moreCases, ...avroCases]).filter(({ name }) => name !== odd?.name),
    servers,
  )
})

describe('and by Apicurio’s own interface', () =>
  testAvroCases([{ name: '00_smoke' }, ...(odd === undefined ? [] : [odd])], servers, 'apicurio'))

describe('and where only values are Avro', () => testAvroCases([{ name: '15_keys' }], servers, 'mixed'))

describe('scripts that name databases beside their own, in Avro', () => testAvroCases(lonelyCases, servers))
