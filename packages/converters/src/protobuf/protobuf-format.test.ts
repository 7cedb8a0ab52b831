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
import { ProtobufFormat } from './protobuf-format.ts'
import { parseProtobufOptions } from './protobuf-options.ts'

const table = oracleLines<RegisteredLine>('protobuf-converter.jsonl.gz')
const golden = oracleLines<RegisteredLine>('protobuf-golden.jsonl.gz')

const compile: LineCompiler = (schema, options) => {
  const format = new ProtobufFormat(parseProtobufOptions(options), 'value')
  const { write, lead } = format.compile(schema)
  return {
    registered: format.registered(schema).text,
    write: (value, out) => {
      if (value === null) return
      out.write(lead ?? new Uint8Array(0))
      write(value, out)
    },
  }
}

/** Also where Confluent's converter writes a message that is not the registered one. */
function isRefused(line: RegisteredLine): boolean {
  return isRefusedHere(line) || /^logical |^decimal|of scale|^(optional decimal|timestamp) with default/.test(line.name)
}

testRecordedLines(table, isRefused, compile)

test('does the same for all schemas of the recordings of Debezium', () => {
  assert.ok(golden.length > 1_500)
  let failed = 0
  for (const line of golden) {
    // The only map of the recordings; maps are refused here.
    if (line.schema?.name === 'io.debezium.connector.common.Notification') continue
    if (line.error !== undefined) {
      assert.throws(() => outcomeOf(line, encodedText, compile), { code: 'PROTOBUF_NAME' })
      failed += 1
      continue
    }
    const { registered, hex } = outcomeOf(line, encodedText, compile)
    // Nothing is registered for a value that is null.
    if (line.hex !== null) assert.equal(registered, line.registered)
    assert.equal(hex, line.hex, registered)
  }
  assert.equal(failed, 5)
})
