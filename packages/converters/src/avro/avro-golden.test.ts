import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { CodedError, present } from '@tributary/support'
import type { SchemaParts } from '../registry/schema-registry.ts'
import { parseExact, schemaOfDocument, type SchemaDocument } from '../testing/connect-schema-document.ts'
import { parseAvroOptions } from './avro-options.ts'
import { avroSchemaParts } from './avro-parts.ts'
import { recordName } from './avro-names.ts'
import { avroSchemaText } from './avro-schema-text.ts'

interface GoldenParts {
  readonly parts: string
  readonly references: readonly (GoldenParts & { readonly name: string })[]
}

interface GoldenLine extends Partial<GoldenParts> {
  readonly recording: string
  readonly topic: string
  readonly schema: SchemaDocument
  readonly avro?: string
  readonly error?: string
}

const file = new URL('../../fixtures/avro-golden.jsonl.gz', import.meta.url)
// Our own program wrote these lines.
const lines = gunzipSync(readFileSync(file))
  .toString()
  .trimEnd()
  .split('\n')
  .map((line) => parseExact(line) as GoldenLine)
const options = parseAvroOptions({})

test('the schemas of all records that the real connector wrote are those of the Java converter', () => {
  assert.ok(lines.length > 1000)
  for (const { recording, topic, schema, avro, error } of lines) {
    const textOf = (): string => avroSchemaText(schemaOfDocument(schema), options)
    if (avro === undefined) assert.throws(textOf, CodedError, `${recording} ${topic}: ${error}`)
    else assert.equal(textOf(), avro, `${recording} ${topic}`)
  }
})

test('their parts are those that Apicurio’s serializer registers', () => {
  let references = 0
  const compare = (ours: SchemaParts, theirs: GoldenParts, where: string): void => {
    assert.equal(ours.text, theirs.parts, where)
    assert.deepEqual(
      ours.references.map(({ name }) => name),
      theirs.references.map(({ name }) => name),
      where,
    )
    for (const [i, { name, namespace, schema }] of ours.references.entries()) {
      references += 1
      assert.equal(name.slice(0, name.lastIndexOf('.')), namespace, where)
      compare(present(schema.parts, 'parts'), present(theirs.references[i], 'reference'), where)
    }
  }
  for (const { recording, topic, schema, parts, references: named } of lines) {
    if (parts === undefined || named === undefined) continue
    compare(avroSchemaParts(schemaOfDocument(schema), options), { parts, references: named }, `${recording} ${topic}`)
  }
  assert.ok(references > 1000)
})

test('a record has the name in the schema of the Java converter', () => {
  for (const { schema, avro } of lines) {
    const { type, namespace, name } = JSON.parse(avro ?? '{}') as Readonly<Record<string, string | undefined>>
    if (type !== 'record') continue
    assert.equal(recordName(schemaOfDocument(schema), false), `${namespace}.${name}`)
  }
})
