import { Schema, Schemas, Struct, type ConnectValue } from '@tributary/connect-api'
import { ByteWriter, CodedError } from '@tributary/support'
import { encodedText, plainText, readSchema, readValue } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oracleLines, type OracleLine } from '../testing/oracle-fixtures.ts'
import { scriptedRegistry, type ScriptedRegistry } from '../testing/scripted-registry.ts'
import { CloudEventsConverter } from './cloud-events-converter.ts'

/** What Debezium's converter makes of a record: `fixtures/CloudEventsOracle.java` recorded it. */
interface EventLine extends OracleLine {
  readonly runs: readonly EventRun[]
}

interface EventRun {
  readonly options: Readonly<Record<string, string>>
  /** Schemas by subject. */
  readonly registered?: Readonly<Record<string, string>>
  readonly hex?: string | null
  readonly error?: string
}

const lines = oracleLines<EventLine>('cloud-events.jsonl.gz')
const { signal } = new AbortController()

/** The addresses in the recording; their names have the length of ours, so that the lengths in Avro are the same. */
const RECORDED_URLS = 'mock://a,mock://b'

function made(options: Readonly<Record<string, string>>, registry?: ScriptedRegistry): CloudEventsConverter {
  const converter = new CloudEventsConverter()
  const url = 'avro.schema.registry.url' in options ? { 'avro.schema.registry.url': registry?.url ?? 'http://h' } : {}
  converter.configure({ ...options, ...url }, false)
  return converter
}

function encode(converter: CloudEventsConverter, schema: Schema, value: ConnectValue): Buffer | null {
  const out = new ByteWriter(1)
  const encoder = converter.encoderFor(schema, 't')
  out.write(encoder.prefix)
  return encoder.write(value, out) ? out.copy() : null
}

test('events in JSON are those of Debezium, with and without schemas, extensions and numbers as texts', () => {
  let count = 0
  for (const [kind, textOf] of Object.entries({ plainText, encodedText })) {
    for (const { schema: notation, value, runs } of lines) {
      assert.ok(notation !== null)
      const schema = readSchema(notation)
      for (const { options, hex, error } of runs) {
        if ('avro.schema.registry.url' in options) continue
        const actual = (): string | undefined =>
          encode(made(options), schema, readValue(schema, value, textOf))?.toString()
        if (error !== undefined) assert.throws(actual, CodedError, error)
        else
          assert.equal(
            comparable(actual()),
            comparable(hex ? Buffer.from(hex, 'hex').toString() : undefined),
            `${kind} ${schema.name}`,
          )
        count += 1
      }
    }
  }
  assert.ok(count > 1_000)
})

/** Java 17, which made the recording, prints some floating-point numbers with more digits than later versions. */
function comparable(text: string | undefined): string | undefined {
  return text?.replaceAll(/(?<=[:,[])-?\d+\.\d+(?:E-?\d+)?(?=[,}\]])/g, (number) => String(Math.fround(Number(number))))
}

test('events and data in Avro are those of Debezium, under the same subjects', async () => {
  await using registry = await scriptedRegistry(({ path }) => ({
    status: 200,
    // Debezium registers the data first.
    body: { id: path.includes('/t-value/') && isAvro ? 2 : 1 },
  }))
  let isAvro = false
  let count = 0
  // Debezium names the event after the source block, ours is named after the envelope, which does not show what the dots
  // in the name of a table, and adjusted characters, were.
  const ambiguous = new Set<string | null>()
  for (const { schema: notation, value, runs } of lines.filter((_, i) => i % 6 === 0)) {
    assert.ok(notation !== null)
    const schema = readSchema(notation)
    for (const { options, registered, hex, error } of runs) {
      if (!('avro.schema.registry.url' in options)) continue
      isAvro = options['serializer.type'] === 'avro'
      const converter = made(options, registry)
      registry.forget()
      const work = async (): Promise<Buffer | null> => {
        if (!converter.isRegistered(schema, 't')) await converter.register(schema, 't', signal)
        return encode(converter, schema, readValue(schema, value, encodedText))
      }
      if (error !== undefined) {
        await assert.rejects(work, CodedError, error)
        continue
      }
      const bytes = await work().catch((thrown: unknown) => {
        assert.ok(thrown instanceof CodedError && thrown.code === 'CLOUD_EVENT_NAME', String(thrown))
        ambiguous.add(schema.name)
        return null
      })
      if (bytes === null && hex !== null) continue
      assert.deepEqual(readable(bytes, registry.url), readable(hex ? Buffer.from(hex, 'hex') : null, RECORDED_URLS))
      const seen = registry.requests.map(({ path, body }) => [
        path.replace(/^\/subjects\/(.*)\/versions$/, '$1'),
        (body as { readonly schema: string }).schema,
      ])
      assert.deepEqual(Object.fromEntries(seen), registered, `${schema.name}`)
      count += 1
    }
  }
  assert.ok(count > 100)
  assert.ok(ambiguous.size < 12, [...ambiguous].join())
})

/** The address and its length, which precedes it in Avro, differ from the recording's. */
function readable(bytes: Buffer | null, urls: string): string | null {
  if (bytes === null) return null
  const address = `${urls}/schemas/ids/`
  const text = bytes.toString('latin1')
  const at = text.indexOf(address)
  assert.ok(at > 0)
  return `${text.slice(0, at - 1)}ADDRESS${text.slice(at + address.length)}`
}

const source = Schema.struct(
  [
    ['name', Schemas.string],
    ['ts_sec', Schemas.int64],
    ['file', Schemas.string],
    ['pos', Schemas.int64],
    ['db', Schemas.optionalString],
  ],
  { name: 'io.debezium.connector.mysql.Source' },
)
const row = Schema.struct([['id', Schemas.int32]], { name: 'p.d.t.Value', optional: true })
const envelope = Schema.struct(
  [
    ['before', row],
    ['after', row],
    ['source', source],
    ['op', Schemas.string],
  ],
  { name: 'p.d.t.Envelope' },
)
const record = (db: string): Struct =>
  new Struct(envelope, [null, new Struct(row, [1]), new Struct(source, ['p', 5, 'f', 7, db]), 'c'])

test('an event of record format v1 has the time of its seconds and the connector of its schema', () => {
  const event: unknown = JSON.parse(
    encode(made({ 'json.schemas.enable': 'false' }), envelope, record('d'))?.toString() ?? '',
  )
  assert.partialDeepStrictEqual(event, {
    id: 'name:p;file:f;pos:7',
    source: '/debezium/mysql/p',
    time: '1970-01-01T00:00:05.000Z',
    iodebeziumtssec: '5',
    data: { before: null, after: { id: 1 } },
  })
})

test('the time at midnight has its zeros', () => {
  const origin = new Struct(source, ['p', 86_400 * 365, 'f', 7, 'd'])
  const event =
    encode(made({}), envelope, new Struct(envelope, [null, new Struct(row, [1]), origin, 'c']))?.toString() ?? ''
  assert.ok(event.includes('"time":"1971-01-01T00:00:00.000Z"'), event)
})

test('records that are no envelopes become Kafka’s null', () => {
  assert.equal(encode(made({}), Schemas.string, 'x'), null)
  assert.equal(encode(made({}), envelope, null), null)
})

test('an event whose name in Avro was registered for another database is refused', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  const options = {
    'serializer.type': 'avro',
    'data.serializer.type': 'avro',
    'avro.schema.registry.url': registry.url,
  }
  const converter = made(options, registry)
  await converter.register(envelope, 't', signal)
  assert.ok(encode(converter, envelope, record('d')))
  assert.throws(() => encode(converter, envelope, record('other')), { code: 'CLOUD_EVENT_NAME' })
})

test('the address of a schema in an event contains no login', async () => {
  await using registry = await scriptedRegistry(() => ({ status: 200, body: { id: 1 } }))
  const url = registry.url.replace('//', '//user:secret@')
  const converter = new CloudEventsConverter()
  converter.configure({ 'data.serializer.type': 'avro', 'avro.schema.registry.url': url }, false)
  await converter.register(envelope, 't', signal)
  const event = encode(converter, envelope, record('d'))?.toString() ?? ''
  assert.ok(event.includes(`"dataschema":"${registry.url}/schemas/ids/1"`), event)
})

const refused: readonly (readonly [options: Readonly<Record<string, string>>, message: RegExp])[] = [
  [{ 'serializer.type': 'avro' }, /data\.serializer\.type=json.*must be Avro/],
  [{ 'serializer.type': 'xml' }, /serializer\.type=xml/],
  [{ 'data.serializer.type': 'avro' }, /schema\.registry\.url/],
  [{ 'opentelemetry.tracing.attributes.enable': 'true' }, /only false/],
  [{ 'metadata.source': 'header' }, /headers are not read/],
  [{ 'metadata.source': 'value' }, /id:generate and type:generate/],
  [{ 'metadata.source': 'value,id:header,type:generate' }, /id:generate/],
  [{ 'metadata.source': 'value,id:generate,type:generate,time:generate' }, /time is not allowed to set custom source/],
]
for (const [options, message] of refused) {
  test(`refuses ${JSON.stringify(options)}`, () => {
    assert.throws(
      () => made(options),
      (error) => error instanceof CodedError && message.test(error.message),
    )
  })
}
