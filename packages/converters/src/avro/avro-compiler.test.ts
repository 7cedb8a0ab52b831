import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectValue, Schema } from '@tributary/connect-api'
import { ByteWriter, CodedError } from '@tributary/support'
import { encodedText, latin1Text, plainText, readSchema, readValue, utf16Text } from '@tributary/testkit'
import { oracleLines, type OracleLine } from '../testing/oracle-fixtures.ts'
import { compileAvro } from './avro-compiler.ts'
import { type AvroOptions, parseAvroOptions } from './avro-options.ts'

interface AvroLine extends OracleLine {
  readonly options: Readonly<Record<string, string>>
  /** Null when the Java converter returns Kafka's null. */
  readonly hex?: string | null
  readonly error?: string
}

function written(schema: Schema, value: ConnectValue, options: AvroOptions): Buffer {
  // A small buffer, which must grow in the middle of values.
  const out = new ByteWriter(1)
  compileAvro(schema, 'value', options)(value, out)
  return out.copy()
}

for (const [kind, textOf] of Object.entries({ plainText, encodedText, latin1Text, utf16Text })) {
  test(`writes the bytes of Java's converter for all recorded values (${kind})`, () => {
    const lines = oracleLines<AvroLine>('avro-converter.jsonl')
    assert.ok(lines.length > 500)
    for (const { name, schema: notation, value, options, hex, error } of lines) {
      if (notation === null || hex === null) continue
      const schema = readSchema(notation)
      const bytesOf = (): string =>
        written(schema, readValue(schema, value, textOf), parseAvroOptions(options)).toString('hex')
      if (hex === undefined) {
        // A name that Avro does not accept is refused when the schema text is written.
        if (!error?.startsWith('Illegal character')) assert.throws(bytesOf, CodedError, `${name}: ${error}`)
        continue
      }
      // Java's HashMap has an order of its own.
      if (name === 'map with string keys') assert.equal(bytesOf().length, hex.length, name)
      else assert.equal(bytesOf(), hex, name)
    }
  })
}
