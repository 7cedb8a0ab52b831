import { ByteWriter, CodedError } from '@tributary/support'
import { encodedText, plainText, readSchema, readValue, type TextReader } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oracleLines, type OracleLine } from '../testing/oracle-fixtures.ts'
import { ProtobufFormat } from './protobuf-format.ts'
import { parseProtobufOptions } from './protobuf-options.ts'

/** What Confluent's converter registers and writes: `fixtures/ConfluentOracle.java` recorded it. */
interface ProtobufLine extends OracleLine {
  readonly options: Readonly<Record<string, string>>
  readonly registered?: string
  readonly hex?: string | null
  readonly error?: string
}

const table = oracleLines<ProtobufLine>('protobuf-converter.jsonl.gz')
const golden = oracleLines<ProtobufLine>('protobuf-golden.jsonl.gz')

/**
 * Where Confluent's converter omits a required field that has no value, so that readers see a zero; where it writes a
 * message that is not the registered one; and where it fails.
 */
function isRefused({ name, options, error }: ProtobufLine): boolean {
  if (
    error !== undefined ||
    name === 'required field without a value' ||
    /^logical |^decimal|of scale|^(optional decimal|timestamp) with default/.test(name)
  )
    return true
  const isKept = options['ignore.default.for.nullables'] === 'true'
  return (
    name.endsWith('required: null in a struct') || (isKept && name.endsWith('required with default: null in a struct'))
  )
}

/** What our format makes of the line; bytes with the id 1 before them. */
function outcome(line: ProtobufLine, textOf: TextReader): ProtobufLine {
  const format = new ProtobufFormat(parseProtobufOptions(line.options), 'value')
  assert.ok(line.schema !== null)
  const schema = readSchema(line.schema)
  const value = readValue(schema, line.value, textOf)
  const { write, lead } = format.compile(schema)
  const out = new ByteWriter(1)
  if (value !== null) {
    out.write(lead ?? new Uint8Array(0))
    write(value, out)
  }
  const hex = out.position === 0 ? null : `0000000001${out.copy().toString('hex')}`
  return { ...line, registered: format.registered(schema).text, hex }
}

for (const [kind, textOf] of Object.entries({ plainText, encodedText })) {
  test(`registers the schemas and writes the bytes of Confluent's converter (${kind})`, () => {
    assert.ok(table.length > 600)
    for (const line of table) {
      const place = `${line.name} ${JSON.stringify(line.options)}`
      if (isRefused(line)) {
        assert.throws(() => outcome(line, textOf), CodedError, place)
        continue
      }
      const actual = outcome(line, textOf)
      if (line.hex !== null) assert.equal(actual.registered, line.registered, place)
      assert.equal(actual.hex, line.hex, place)
    }
  })
}

test('does the same for all schemas of the recordings of Debezium', () => {
  assert.ok(golden.length > 1_500)
  let failed = 0
  for (const line of golden) {
    // The only map of the recordings; maps are refused here.
    if (line.schema?.name === 'io.debezium.connector.common.Notification') continue
    if (line.error !== undefined) {
      assert.throws(() => outcome(line, encodedText), { code: 'PROTOBUF_NAME' })
      failed += 1
      continue
    }
    const { registered, hex } = outcome(line, encodedText)
    // Nothing is registered for a value that is null.
    if (line.hex !== null) assert.equal(registered, line.registered)
    assert.equal(hex, line.hex, registered)
  }
  assert.equal(failed, 5)
})
