import type { ConnectValue, Schema } from '@tributary/connect-api'
import { ByteWriter, CodedError } from '@tributary/support'
import { encodedText, plainText, readSchema, readValue, type TextReader } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OracleLine } from './oracle-fixtures.ts'

/** What a converter of Confluent registers and writes: `fixtures/ConfluentOracle.java` recorded it. */
export interface RegisteredLine extends OracleLine {
  readonly options: Readonly<Record<string, string>>
  readonly registered?: string
  readonly hex?: string | null
  readonly error?: string
}

/** What a format registers for a schema, and a function that writes a value after the id of the schema. */
export interface LineWriter {
  readonly registered: string
  readonly write: (value: ConnectValue, out: ByteWriter) => void
}

export type LineCompiler = (schema: Schema, options: Readonly<Record<string, string>>) => LineWriter

/** What our format registers and writes for the line, with the id 1 before the bytes. */
export function outcomeOf(
  line: RegisteredLine,
  textOf: TextReader,
  compile: LineCompiler,
): Required<Pick<RegisteredLine, 'registered' | 'hex'>> {
  assert.ok(line.schema !== null)
  const schema = readSchema(line.schema)
  const value = readValue(schema, line.value, textOf)
  const { registered, write } = compile(schema, line.options)
  const out = new ByteWriter(1)
  write(value, out)
  return { registered, hex: out.position === 0 ? null : `0000000001${out.copy().toString('hex')}` }
}

/**
 * Where Confluent's converters fail, or omit a required field without a value, so that the record does not fit its
 * schema.
 */
export function isRefusedHere({ name, options, error }: RegisteredLine): boolean {
  if (error !== undefined || name === 'required field without a value') return true
  const isKept = options['ignore.default.for.nullables'] === 'true'
  return (
    name.endsWith('required: null in a struct') || (isKept && name.endsWith('required with default: null in a struct'))
  )
}

/** Tests the lines of a fixture, with texts as strings and as bytes of the server. */
export function testRecordedLines(
  table: readonly RegisteredLine[],
  isRefused: (line: RegisteredLine) => boolean,
  compile: LineCompiler,
): void {
  for (const [kind, textOf] of Object.entries({ plainText, encodedText })) {
    test(`registers the schemas and writes the bytes of Confluent's converter (${kind})`, () => {
      assert.ok(table.length > 600)
      for (const line of table) {
        const place = `${line.name} ${JSON.stringify(line.options)}`
        if (isRefused(line)) {
          assert.throws(() => outcomeOf(line, textOf, compile), CodedError, place)
          continue
        }
        const actual = outcomeOf(line, textOf, compile)
        assert.equal(actual.hex, line.hex, place)
        // Kafka's null needs no schema, so that Java registers none.
        if (line.hex !== null) assert.equal(actual.registered, line.registered, place)
      }
    })
  }
}
