import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { CodedError } from '@tributary/support'
import { parseExact, schemaOfDocument, type SchemaDocument } from '../testing/connect-schema-document.ts'
import { parseAvroOptions } from './avro-options.ts'
import { avroSchemaText } from './avro-schema-text.ts'

interface GoldenLine {
  readonly recording: string
  readonly topic: string
  readonly schema: SchemaDocument
  readonly avro?: string
  readonly error?: string
}

test('the schemas of all records that the real connector wrote are those of the Java converter', () => {
  const file = new URL('../../fixtures/avro-golden.jsonl.gz', import.meta.url)
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n')
  assert.ok(lines.length > 1000)
  const options = parseAvroOptions({})
  for (const line of lines) {
    // What our own program has written.
    const { recording, topic, schema, avro, error } = parseExact(line) as GoldenLine
    const textOf = (): string => avroSchemaText(schemaOfDocument(schema), options)
    if (avro === undefined) assert.throws(textOf, CodedError, `${recording} ${topic}: ${error}`)
    else assert.equal(textOf(), avro, `${recording} ${topic}`)
  }
})
