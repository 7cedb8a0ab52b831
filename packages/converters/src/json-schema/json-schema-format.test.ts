import { encodedText } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oracleLines } from '../testing/oracle-fixtures.ts'
import {
  isRefusedHere,
  type LineCompiler,
  outcomeOf,
  type RegisteredLine,
  testRecordedLines,
} from '../testing/registered-oracle.ts'
import { JsonSchemaFormat } from './json-schema-format.ts'
import { parseJsonSchemaOptions } from './json-schema-options.ts'

const table = oracleLines<RegisteredLine>('json-schema-converter.jsonl.gz')
const golden = oracleLines<RegisteredLine>('json-schema-golden.jsonl.gz')

const compile: LineCompiler = (schema, options) => {
  const format = new JsonSchemaFormat(parseJsonSchemaOptions(options), 'value')
  const { write, writesNull = false } = format.compile(schema)
  return {
    registered: format.registered(schema).text,
    write: (value, out) => {
      if (value !== null || writesNull) write(value, out)
    },
  }
}

testRecordedLines(table, isRefusedHere, compile)

test('does the same for all schemas of the recordings of Debezium', () => {
  assert.ok(golden.length > 1_500)
  for (const line of golden) {
    const { registered, hex } = outcomeOf(line, encodedText, compile)
    assert.equal(registered, line.registered)
    assert.equal(hex, line.hex)
  }
})
