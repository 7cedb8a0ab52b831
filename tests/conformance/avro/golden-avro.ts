import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Kafka, LogRecord } from '@tributary/kafka'
import {
  type Database,
  kafkaClient,
  type RegistryServer,
  type Service,
  startRegistry,
  startService,
  useKafka,
} from '@tributary/testkit'
import { compareRecordings, type Difference, formatDifferences } from '../compare-recordings.ts'
import { type GoldenCase, loadScript } from '../conformance.ts'
import type { GoldenServers } from '../golden-suite.ts'
import type { GoldenScript } from '../golden-script.ts'
import type { Recording } from '../recording.ts'
import { runScript } from '../script-run.ts'
import { readAvro } from './avro-reader.ts'

/**
 * Declares a test for each case: the script runs with two connectors, one that writes JSON and one that writes Avro.
 * The test compares the Avro records, read by Java, with the JSON records: topics, number and order of records, keys,
 * values, headers and schemas.
 */
export function testAvroCases(
  cases: readonly GoldenCase[],
  servers: GoldenServers,
  converter: keyof typeof CONVERTERS = 'confluent',
): void {
  const resources = new AsyncDisposableStack()
  let service: Service
  let registry: RegistryServer
  let kafka: Kafka
  let bootstrapServers: readonly string[] = []
  const databases: Partial<Record<'mysql' | 'mariadb', Promise<Database>>> = {}
  const open = async (flavor: 'mysql' | 'mariadb'): Promise<Database> => {
    const database = await servers[flavor]()
    return Symbol.asyncDispose in database ? resources.use(database) : database
  }

  before(async () => {
    ;({ bootstrapServers } = await useKafka())
    kafka = await kafkaClient(bootstrapServers)
    service = resources.use(await startService({ bootstrapServers }))
    registry = resources.use(await startRegistry())
  })
  after(() => resources.disposeAsync())

  for (const golden of cases) {
    const { name, variants = [''], skips, unset = [], set = {}, fails = {} } = golden
    // The variants of a script use the same databases.
    describe(`${name} in Avro (${converter})`, { concurrency: 1 }, () => {
      for (const variant of variants) {
        test(variant === '' ? 'without a variant' : variant, async (context) => {
          const script = withAvro(loadScript(name), variant, CONVERTERS[converter](registry))
          const { recordings } = await runScript({
            script,
            variants: ['json', 'avro'],
            database: await (databases[script.server] ??= open(script.server)),
            skipsStatement: (sql) => skips?.test(sql) ?? false,
            unset,
            more: set,
            selectsRows: false,
            decode: (records: readonly LogRecord[]) => readAvro(registry, records),
            service,
            kafka,
            bootstrapServers,
          })
          const [json, avro] = [recordings.get('json'), recordings.get('avro')]
          assert.ok(json !== undefined && avro !== undefined)
          for (const { state } of [json, avro]) assert.match(state, fails[variant] ?? /^RUNNING$/)
          const differences = differencesOf(json, avro, fails[variant])
          context.diagnostic(`${recordCount(avro)} records, ${differences.length} differences`)
          assert.equal(formatDifferences(differences), '')
        })
      }
    })
  }
}

/** Does not compare offsets: each connector stored the position after its own last record. */
function differencesOf(json: Recording, avro: Recording, fails?: RegExp): ReturnType<typeof compareRecordings> {
  const all = compareRecordings(json, avro, {
    includesDatabase: () => true,
    skipsTopic: (topic) => topic === 'PFX-history',
    columnsLeftOut: {},
    isSameFormat: true,
    fails,
  })
  const nulls = new Set(all.filter(isWithoutSchema).map(recordOf))
  return all.filter((difference) => {
    const { kind } = difference
    if (kind === 'schema') return !nulls.has(recordOf(difference))
    return kind !== 'offset' && !isHalfCharacter(difference)
  })
}

/** Confluent's converter writes a null without its schema, so the whole schema cannot be read. */
function isWithoutSchema({ kind, path, actual }: Difference): boolean {
  return kind === 'schema' && path === 'value' && actual === '(absent)'
}

function recordOf({ topic, where }: Difference): string {
  return `${topic} ${where}`
}

/** In UTF-8, Java writes half of a surrogate pair as a question mark. JSON escapes it. */
function isHalfCharacter({ kind, expected, actual }: Difference): boolean {
  return kind === 'payload' && LONE_HALF.test(expected) && expected.replace(LONE_HALF, '?') === actual
}

/** Half of a surrogate pair at the end of a text, as JSON escapes it. */
const LONE_HALF = /\\ud[89ab][0-9a-f]{2}(?="$)/

/** Properties of the connector that writes Avro. */
const CONVERTERS = {
  confluent: ({ confluentUrl }: RegistryServer): Record<string, string> => ({
    ...confluentOf('key', confluentUrl),
    ...confluentOf('value', confluentUrl),
  }),
  // Apicurio's content ids are the ids of Confluent's interface.
  apicurio: ({ url }: RegistryServer): Record<string, string> => ({
    ...apicurioOf('key', url),
    ...apicurioOf('value', url),
  }),
  /** Keys are JSON. */
  mixed: ({ confluentUrl }: RegistryServer): Record<string, string> => confluentOf('value', confluentUrl),
}

function confluentOf(role: string, url: string): Record<string, string> {
  return {
    [`${role}.converter`]: 'io.confluent.connect.avro.AvroConverter',
    [`${role}.converter.schema.registry.url`]: url,
  }
}

function apicurioOf(role: string, url: string): Record<string, string> {
  return {
    [`${role}.converter`]: 'io.apicurio.registry.utils.converter.AvroConverter',
    [`${role}.converter.apicurio.registry.url`]: url,
    [`${role}.converter.apicurio.registry.auto-register`]: 'true',
  }
}

/** The script with a JSON and an Avro connector as variants; both adjust names of schemas and fields. */
function withAvro(script: GoldenScript, variant: string, converter: Readonly<Record<string, string>>): GoldenScript {
  const common = {
    'schema.name.adjustment.mode': 'avro',
    'field.name.adjustment.mode': 'avro',
    ...script.variants[variant],
  }
  return { ...script, variants: { json: common, avro: { ...common, ...converter } } }
}

function recordCount({ topics }: Recording): number {
  let count = 0
  for (const [topic, records] of topics) if (topic !== 'PFX-history') count += records.length
  return count
}
