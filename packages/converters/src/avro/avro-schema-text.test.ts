import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '@tributary/support'
import { oracleLines, readSchema, type OracleLine } from '../testing/oracle-fixtures.ts'
import { parseAvroOptions } from './avro-options.ts'
import { avroSchemaText } from './avro-schema-text.ts'

export interface AvroLine extends OracleLine {
  readonly options: Readonly<Record<string, string>>
  readonly avro?: string
  readonly hex?: string | null
  readonly error?: string
}

test("gives the schemas of Java's converter for its whole table", () => {
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
