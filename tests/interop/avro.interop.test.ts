/**
 * The same changes through Kafka Connect with Debezium and Apicurio's Avro converter, and through Tributary: compares
 * the schemas that both register, and the records as Java reads them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Kafka, LogRecord } from '@tributary/kafka'
import {
  avroConverterPluginPath,
  type Database,
  kafkaClient,
  type RegistryServer,
  type Service,
  startConnect,
  startMariaDb,
  startRegistry,
  startService,
  useKafka,
  useMySql,
} from '@tributary/testkit'
import { avroCases } from '../conformance/avro/avro-cases.ts'
import { readAvro } from '../conformance/avro/avro-reader.ts'
import { compareRecordings, type Difference, formatDifferences } from '../conformance/compare-recordings.ts'
import { databaseFilter, type GoldenCase, loadScript } from '../conformance/conformance.ts'
import { deliberateDifferencesV2 } from '../conformance/deliberate-differences-v2.ts'
import { deliberateDifferences } from '../conformance/deliberate-differences.ts'
import { explain } from '../conformance/difference-rules.ts'
import type { GoldenScript } from '../conformance/golden-script.ts'
import { RECORDED_MARIADB } from '../conformance/golden-suite.ts'
import type { Recording } from '../conformance/recording.ts'
import { runScript } from '../conformance/script-run.ts'
import {
  type RegisteredSchemas,
  registeredSchemas,
  type SchemaDifference,
  schemaDifferences,
} from './avro/registered-schemas.ts'

const resources = new AsyncDisposableStack()
let [bootstrapServers, kafka]: [readonly string[], Kafka | null] = [[], null]
let registry: RegistryServer
let connect: Service
let tributary: Service
const databases: Partial<Record<'mysql' | 'mariadb', Promise<Database>>> = {}

before(async () => {
  ;({ bootstrapServers } = await useKafka())
  kafka = await kafkaClient(bootstrapServers)
  registry = resources.use(await startRegistry())
  const pluginPaths = [await avroConverterPluginPath()]
  connect = resources.use(await startConnect({ bootstrapServers, pluginPaths, javaArgs: ['-Xmx1g'] }))
  tributary = resources.use(await startService({ bootstrapServers }))
})
after(() => resources.disposeAsync())

/**
 * Cases of features that Tributary does not have yet: incremental snapshots, and columns that change to and from a
 * character set that it leaves out.
 */
const LATER: ReadonlySet<string> = new Set(['25_incremental_snapshot', '27_charsets_db'])

describe('schemas that are registered whole, and records, equal those of Kafka Connect with Apicurio’s converter', () => {
  const converter = { 'apicurio.registry.dereference-schema': 'true' }
  for (const golden of avroCases.filter(({ name }) => !LATER.has(name))) {
    for (const variant of golden.variants ?? ['']) {
      // Without an offset nothing is written.
      if (variant !== 'recovery') testCase(golden, variant, converter)
    }
  }
})

// The default, for scripts that change no table: Java's cache is keyed by the text of an event's schema, which refers
// to that of the row by name. It stays the same when a column is added, so that Java writes the new row with the old
// schema (08_enum_set, 15_keys), or fails (12_ddl_alter).
describe('and schemas whose records are artifacts of their own', () => {
  for (const name of ['00_smoke', '03_bits', '04_temporal']) testCase({ name }, '', {})
})

function testCase(golden: GoldenCase, variant: string, converter: Readonly<Record<string, string>>): void {
  const { name, columnsLeftOut = {}, fails = {} } = golden
  test(variant === '' ? name : `${name}, ${variant}`, async (context) => {
    const theirs = await run(golden, variant, converter, connect)
    const ours = await run(golden, variant, converter, tributary)
    const { config, variants } = loadScript(name)
    const includesDatabase = databaseFilter({ ...config, ...variants[variant] })
    const isShorter = theirs.recording.state.startsWith('FAILED')
    const schemas = schemaDifferences(theirs.schemas, ours.schemas, isShorter)
    const compared = compareRecordings(
      { ...theirs.recording, ...(isShorter ? { state: 'FAILED' } : {}) },
      ours.recording,
      {
        includesDatabase,
        // If all databases are captured: the database of the other run's markers (script-run.ts).
        skipsTopic: (topic) => topic === 'PFX-history' || topic.startsWith('PFX.zz_'),
        columnsLeftOut,
        isSameFormat: true,
        fails: fails[variant],
      },
    )
    const recordings = name + (variant === '' ? '' : `~${variant}`)
    const { unexplained } = explain(recordings, compared, [...deliberateDifferences, ...deliberateDifferencesV2])
    const left = unexplained.filter((difference) => !isOfPosition(difference))
    // Where a record differs on purpose, so does its Avro schema.
    const deliberate = new Set([
      ...Object.keys(columnsLeftOut),
      ...compared.flatMap((each) => (each.kind === 'payload' || unexplained.includes(each) ? [] : [each.topic])),
    ])
    const isDeliberate = ({ artifact }: SchemaDifference): boolean =>
      deliberate.has(artifact.replace(/^default\/(.*)-(key|value)$/, '$1'))
    const others = schemas.filter((difference) => !isDeliberate(difference) && !isOfLater(difference))
    const versions = [...theirs.schemas.values()].flat().length
    const state = theirs.recording.state.split('\n')[0] ?? ''
    context.diagnostic(
      `${state}: ${theirs.schemas.size} artifacts, ${versions} schemas, ${others.length} differences ` +
        `(and ${schemas.length - others.length} of records that differ on purpose: ${[...deliberate].join(' ')}); ` +
        `${recordCount(theirs.recording)} records, ${left.length} differences`,
    )
    const texts = others.map(({ artifact, expected, actual }) => `${artifact}\n   - ${expected}\n   + ${actual}`)
    // Some defects of the reference sometimes end it before its first record.
    assert.ok(versions > 0 || (name.includes('_defect_') && state.startsWith('FAILED')))
    assert.equal([...texts, formatDifferences(left)].join('\n'), '')
  })
}

/**
 * Of topics that this version does not have: heartbeats, under both names of 23_heartbeat, and
 * notifications.
 */
function isOfLater({ artifact, actual }: SchemaDifference): boolean {
  return (
    actual === '(none)' && /^default\/((__debezium-heartbeat|hb-custom)\.PFX|PFX-notif)-(key|value)$/.test(artifact)
  )
}

/** Differences without relation to Avro: the source block of a statement, and the position of the stop. */
function isOfPosition({ kind, topic, path }: Difference): boolean {
  // A statement of the reference has the row of the preceding event; for its tables and its thread see ARCHITECTURE.md.
  return kind === 'offset' || (topic === 'PFX' && /^source\.(row|table|thread)$/.test(path))
}

interface Run {
  readonly recording: Recording
  readonly schemas: RegisteredSchemas
}

async function run(
  { name, skips, unset = [], set = {} }: GoldenCase,
  variant: string,
  converter: Readonly<Record<string, string>>,
  service: Service,
): Promise<Run> {
  assert.ok(kafka !== null)
  const script = loadScript(name)
  let prefix = ''
  const { recordings } = await runScript({
    script: withAvro(script),
    variants: [variant],
    database: await databaseOf(script),
    skipsStatement: (sql) => skips?.test(sql) ?? false,
    unset,
    selectsRows: false,
    more: { ...set, 'source.struct.version': 'v2', ...apicurio('key', converter), ...apicurio('value', converter) },
    decode: (records: readonly LogRecord[]) => {
      prefix = /pfx_[0-9a-f]+/.exec(records[0]?.topic ?? '')?.[0] ?? ''
      return readAvro(registry, records)
    },
    service,
    kafka,
    bootstrapServers,
  })
  const recording = recordings.get(variant)
  assert.ok(recording !== undefined && prefix !== '')
  return { recording, schemas: await registeredSchemas(registry, prefix) }
}

function databaseOf({ server }: GoldenScript): Promise<Database> {
  const open = async (): Promise<Database> => resources.use(await startMariaDb(RECORDED_MARIADB))
  return (databases[server] ??= server === 'mysql' ? useMySql() : open())
}

function withAvro(script: GoldenScript): GoldenScript {
  const names = { 'schema.name.adjustment.mode': 'avro', 'field.name.adjustment.mode': 'avro' }
  return { ...script, config: { ...script.config, ...names } }
}

function apicurio(role: string, more: Readonly<Record<string, string>>): Record<string, string> {
  const options = {
    'apicurio.registry.url': `${registry.url}/apis/registry/v3`,
    'apicurio.registry.auto-register': 'true',
    ...more,
  }
  return {
    [`${role}.converter`]: 'io.apicurio.registry.utils.converter.AvroConverter',
    ...Object.fromEntries(Object.entries(options).map(([name, value]) => [`${role}.converter.${name}`, value])),
  }
}

function recordCount({ topics }: Recording): number {
  let count = 0
  for (const [topic, records] of topics) if (topic !== 'PFX-history') count += records.length
  return count
}
