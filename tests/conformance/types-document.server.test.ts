/** docs/reference/types.md is true: every value of its tables is inserted, and the event has that schema and that JSON. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  connectorConfig,
  type Service,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import { canonicalText, type ExactJson, ExactNumber, isExactObject, member, parseExactJson } from './exact-json.ts'
import { rowFields } from './server-text.ts'

/** A row of a table of the document. */
interface TypeExample {
  /** `property=value`; empty: the modes that a connector has by itself. */
  readonly mode: string
  readonly column: string
  /** Expression of SQL. */
  readonly value: string
  readonly schema: string
  readonly json: string
}

const TYPES = readFileSync(new URL('../../docs/reference/types.md', import.meta.url), 'utf8')

/** Every connector takes one value of each property, so that a few of them have all. */
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

test('every value of the document has the schema and the JSON that stand beside it', async () => {
  const examples = examplesOf(TYPES)
  assert.ok(examples.length > 60)
  const database = await useMySql()
  const { bootstrapServers } = await useKafka()
  const schema = uniqueName('doc')
  const columns = examples.map(({ column }, i) => `c${i} ${column}`)
  await database.query(`
    CREATE DATABASE ${schema}; USE ${schema}; SET sql_mode = 'ALLOW_INVALID_DATES', time_zone = '+00:00';
    CREATE TABLE t (id INT PRIMARY KEY, ${columns.join(', ')}) CHARACTER SET utf8mb4;
    INSERT INTO t VALUES (1, ${examples.map(({ value }) => value).join(', ')});
    SET sql_mode = DEFAULT, time_zone = DEFAULT`)
  await using service = await startService({ bootstrapServers })
  const values = await Promise.all(
    CONNECTORS.map((more, i) =>
      snapshotValue(
        service,
        connectorConfig({ database, bootstrapServers, prefix: `${schema}.${i}`, includes: schema, more }),
      ),
    ),
  )

  const actual = examples.map((example, i) => {
    const connector = connectorOf(example.mode)
    assert.ok(connector >= 0, `no connector of this test has ${example.mode}`)
    return { ...example, ...shown(values[connector] ?? null, `c${i}`, example.column) }
  })

  assert.deepEqual(actual, examples)
})

function connectorOf(mode: string): number {
  const [property = '', value] = mode.split('=')
  return mode === '' ? 0 : CONNECTORS.findIndex((each) => each[property] === value)
}

/** The rows of its tables; the columns are known by their heads. */
function examplesOf(document: string): TypeExample[] {
  const examples: TypeExample[] = []
  let heads: string[] = []
  for (const line of document.split('\n')) {
    if (!line.startsWith('| ')) continue
    const cells = line.split('|').slice(1, -1)
    if (!line.startsWith('| `')) {
      if (!line.startsWith('| -')) heads = cells.map((cell) => cell.trim())
      continue
    }
    const cell = (head: string): string => (cells[heads.indexOf(head)] ?? '').trim().slice(1, -1)
    const [mode, column, value] = [cell('Mode'), cell('Column type'), cell('Value')]
    examples.push({ mode, column, value, schema: cell('Schema'), json: cell('JSON') })
  }
  return examples
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

/** A value that is no list and no object, as it stands in the record. */
function jsonText(value: ExactJson | undefined): string {
  return value instanceof ExactNumber ? value.text : canonicalText(value)
}

function text(value: ExactJson | undefined): string {
  return typeof value === 'string' ? value : ''
}
