import { ByteWriter, CodedError } from '@tributary/support'
import { encodedText, plainText, readSchema, readValue, type TextReader } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oracleLines, type OracleLine } from '../testing/oracle-fixtures.ts'
import { JsonSchemaFormat } from './json-schema-format.ts'
import { parseJsonSchemaOptions } from './json-schema-options.ts'

/** What Confluent's converter registers and writes: `fixtures/ConfluentOracle.java` recorded it. */
interface SchemaLine extends OracleLine {
  readonly options: Readonly<Record<string, string>>
  readonly registered?: string
  readonly hex?: string | null
  readonly error?: string
}

const table = oracleLines<SchemaLine>('json-schema-converter.jsonl.gz')
const golden = oracleLines<SchemaLine>('json-schema-golden.jsonl.gz')

/**
 * Where Confluent's converter omits a required field that has no value, so that the record does not fit its schema, or
 * fails with an error of Java.
 */
function isRefused({ name, options, error }: SchemaLine): boolean {
  if (error !== undefined || name === 'required field without a value') return true
  const isKept = options['ignore.default.for.nullables'] === 'true'
  return (
    name.endsWith('required: null in a struct') || (isKept && name.endsWith('required with default: null in a struct'))
  )
}

/** What our format makes of the line; bytes with the id 1 before them. */
function outcome(line: SchemaLine, textOf: TextReader): SchemaLine {
  const format = new JsonSchemaFormat(parseJsonSchemaOptions(line.options), 'value')
  assert.ok(line.schema !== null)
  const schema = readSchema(line.schema)
  const value = readValue(schema, line.value, textOf)
  const { write, writesNull = false } = format.compile(schema)
  const out = new ByteWriter(1)
  if (value !== null || writesNull) write(value, out)
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
      assert.equal(actual.hex, line.hex, place)
      // Kafka's null needs no schema, so that Java registers none.
      if (line.hex !== null) assert.equal(actual.registered, line.registered, place)
    }
  })
}

test('does the same for all schemas of the recordings of Debezium', () => {
  assert.ok(golden.length > 1_500)
  for (const line of golden) {
    const { registered, hex } = outcome(line, encodedText)
    assert.equal(registered, line.registered)
    assert.equal(hex, line.hex)
  }
})
