import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Schema, Schemas } from '@tributary/connect-api'
import { CodedError } from '@tributary/support'
import { readSchema } from '@tributary/testkit'
import { oracleLines, type OracleLine } from '../testing/oracle-fixtures.ts'
import { parseAvroOptions } from './avro-options.ts'
import { avroSchemaText } from './avro-schema-text.ts'

export interface AvroLine extends OracleLine {
  readonly options: Readonly<Record<string, string>>
  readonly avro?: string
  readonly hex?: string | null
  readonly error?: string
}

test("writes the schemas of Java's converter for all recorded schemas", () => {
  const lines = oracleLines<AvroLine>('avro-converter.jsonl')
  assert.ok(lines.length > 500)
  for (const { name, schema: notation, options, avro, error } of lines) {
    if (notation === null) continue
    const textOf = (): string => avroSchemaText(readSchema(notation), parseAvroOptions(options))
    if (avro === undefined) {
      assert.throws(textOf, CodedError, `${name}: ${error}`)
      continue
    }
    assert.equal(textOf(), avro, name)
  }
})

test('two records with the same name are equal or refused: otherwise the second would be read with the fields of the first', () => {
  const row = (field: string): Schema => Schema.struct([[field, Schemas.int32]], { name: 'N', optional: true })
  const both = (a: Schema, b: Schema): Schema =>
    Schema.struct(
      [
        ['a', a],
        ['b', b],
      ],
      { name: 'E' },
    )
  assert.match(avroSchemaText(both(row('x'), row('x')), parseAvroOptions({})), /"name":"b","type":\["null","N"\]/)
  assert.throws(() => avroSchemaText(both(row('x'), row('y')), parseAvroOptions({})), { code: 'AVRO_NAME_TAKEN' })
})
