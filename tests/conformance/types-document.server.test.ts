/** Inserts every value of docs/reference/types.md and compares schema and JSON of the event with the page. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  connectorConfig,
  type Database,
  type Service,
  startService,
  uniqueName,
  useKafka,
  useMariaDb,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import {
  canonicalText,
  type ExactJson,
  ExactNumber,
  isExactArray,
  isExactObject,
  member,
  parseExactJson,
} from './exact-json.ts'
import { rowFields } from './server-text.ts'

/** An example of the document. */
interface TypeExample {
  /** `property=value`; empty for the default modes of a connector. */
  readonly mode: string
  readonly column: string
  /** Expression of SQL. */
  readonly value: string
  readonly schema: string
  readonly json: string
}

const TYPES = readFileSync(new URL('../../docs/reference/types.md', import.meta.url), 'utf8')

/** Each connector has one value of each property, so that a few connectors cover all values. */
const CONNECTORS: readonly Readonly<Record<string, string>>[] = [
  {},
  {
    'bigint.unsigned.handling.mode': 'long',
    'decimal.handling.mode': 'double',
    'binary.handling.mode': 'base64',
    'time.precision.mode': 'connect',
  },
  {
    'bigint.unsigned.handling.mode': 'precise',
    'decimal.handling.mode': 'string',
    'binary.handling.mode': 'base64-url-safe',
    'time.precision.mode': 'isostring',
  },
  { 'binary.handling.mode': 'hex', 'time.precision.mode': 'microseconds', 'enable.time.adjuster': 'true' },
  { 'time.precision.mode': 'nanoseconds' },
  { 'enable.time.adjuster': 'false' },
]

const [COMMON = '', OF_MARIADB = '', REST = ''] = TYPES.split(
  /^### Types of MariaDB$|^### Types that are not supported$/m,
)

for (const [server, use, document, count] of [
  ['MySQL', useMySql, COMMON + REST, 76],
  ['MariaDB', useMariaDb, OF_MARIADB, 7],
] as const) {
  test(`${server}: every value of the document has the documented schema and JSON`, async () => {
    const examples = examplesOf(document)
    assert.ok(examples.length >= count, `${examples.length} examples`)
    await compareWithEvents(await use(), examples)
  })
}

async function compareWithEvents(database: Database, examples: readonly TypeExample[]): Promise<void> {
  const { bootstrapServers } = await useKafka()
  const schema = uniqueName('doc')
  const columns = examples.map(({ column }, i) => `c${i} ${column}`)
  await database.query(`
    CREATE DATABASE ${schema}; USE ${schema}; SET sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00';
    CREATE TABLE t (id INT PRIMARY KEY, ${columns.join(', ')}) CHARACTER SET utf8mb4;
    INSERT INTO t VALUES (1, ${examples.map(({ value }) => value).join(', ')});
    SET sql_mode = DEFAULT, time_zone = DEFAULT`)
  await using service = await startService({ bootstrapServers })
  const needed = new Set(examples.map(({ mode }) => connectorOf(mode)))
  const values = await Promise.all(
    CONNECTORS.map((more, i) => {
      const config = { database, bootstrapServers, prefix: `${schema}.${i}`, includes: schema, more }
      return needed.has(i) ? snapshotValue(service, connectorConfig(config)) : Promise.resolve(null)
    }),
  )

  const actual = examples.map((example, i) => {
    const connector = connectorOf(example.mode)
    assert.ok(connector >= 0, `no connector of this test has ${example.mode}`)
    return { ...example, ...shown(values[connector] ?? null, `c${i}`, example.column) }
  })

  assert.deepEqual(actual, examples)
}

function connectorOf(mode: string): number {
  const [property = '', value] = mode.split('=')
  return mode === '' ? 0 : CONNECTORS.findIndex((each) => each[property] === value)
}

/**
 * The rows of its tables, and its lists of `mode`: `column type`, `value` → `schema`, `JSON`; the mode may be missing.
 */
function examplesOf(document: string): TypeExample[] {
  const rows = [...document.matchAll(/^\| `(.+)` \| `(.+)` \| `(.+)` \| `(.+)` \|$/gm)]
  // An item continues on indented lines.
  const items = document
    .replaceAll(/\n {2}(?=\S)/g, ' ')
    .matchAll(/^- (?:`([\w.-]+=[\w-]+)`: )?`([^`]+)`, `([^`]+)` → `([^`]+)`, `([^`]+)`$/gm)
  return [
    ...rows.map(([, column = '', value = '', schema = '', json = '']) => ({ mode: '', column, value, schema, json })),
    ...[...items].map(([, mode = '', column = '', value = '', schema = '', json = '']) => ({
      mode,
      column,
      value,
      schema,
      json,
    })),
  ]
}

/** The value document of the only row. */
async function snapshotValue(service: Service, config: Readonly<Record<string, string>>): Promise<ExactJson> {
  const prefix = config['topic.prefix'] ?? ''
  await service.register(prefix, config)
  const servers = (config['schema.history.internal.kafka.bootstrap.servers'] ?? '').split(',')
  const topic = `${prefix}.${config['database.include.list']}.t`
  const [record] = await waitForRecords(servers, topic, 1, { timeoutMs: 120_000 })
  return parseExactJson(record?.value?.toString() ?? 'null')
}

/** A field of the row, as the document writes it. */
function shown(document: ExactJson, name: string, column: string): Pick<TypeExample, 'schema' | 'json'> {
  const schema = rowFields(document, 'after').get(name)
  assert.equal(member(schema, 'optional'), !/ NOT NULL\b/.test(column), column)
  if (member(schema, 'name') !== undefined) assert.equal(canonicalText(member(schema, 'version')), '1')
  const parameters = member(schema, 'parameters')
  const parts = [text(member(schema, 'type')), text(member(schema, 'name'))]
  if (isExactObject(parameters)) {
    const pairs = Object.entries(parameters).map(([key, value]) => `${key}=${text(value)}`)
    parts.push(`{${pairs.join(', ')}}`)
  }
  const defaultValue = member(schema, 'default')
  if (defaultValue !== undefined) parts.push(`default=${jsonText(defaultValue)}`)
  const value = member(member(member(document, 'payload'), 'after'), name)
  return { schema: parts.filter((part) => part !== '').join(' '), json: jsonText(value) }
}

/** As the record contains it. */
function jsonText(value: ExactJson | undefined): string {
  if (value instanceof ExactNumber) return value.text
  if (isExactArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (!isExactObject(value)) return canonicalText(value)
  const members = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}:${jsonText(part)}`)
  return `{${members.join(',')}}`
}

function text(value: ExactJson | undefined): string {
  return typeof value === 'string' ? value : ''
}
