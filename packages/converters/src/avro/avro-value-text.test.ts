import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAvroSchema } from '../avro-schema/avro-document.ts'
import { avroValueText } from './avro-value-text.ts'

/** The bytes are written by hand after the specification, "Binary Encoding". */
const table: readonly (readonly [name: string, schema: unknown, bytes: readonly number[], text: string])[] = [
  ['null', 'null', [], 'null'],
  ['boolean', 'boolean', [1], 'true'],
  ['int', 'int', [0x7f], '-64'],
  ['int of two bytes', { type: 'int' }, [0x80, 0x01], '64'],
  ['the smallest long', 'long', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], '-9223372036854775808'],
  ['float', 'float', [0, 0, 0x80, 0x3f], '1'],
  ['double', 'double', [0, 0, 0, 0, 0, 0, 0xf8, 0x7f], '"NaN"'],
  ['string', 'string', [6, 0x66, 0x6f, 0x6f], '"foo"'],
  ['bytes', 'bytes', [4, 1, 2], '"AQI="'],
  ['decimal', { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 }, [4, 0xff, 0x6a], '"-1.50"'],
  ['fixed', { type: 'fixed', name: 'F', size: 2 }, [1, 2], '"AQI="'],
  ['enum', { type: 'enum', name: 'E', symbols: ['A', 'B'] }, [2], '"B"'],
  ['array', { type: 'array', items: 'long' }, [4, 6, 54, 0], '[3,27]'],
  ['array in a block with its size', { type: 'array', items: 'long' }, [3, 4, 6, 54, 0], '[3,27]'],
  ['map', { type: 'map', values: 'int' }, [2, 2, 0x61, 2, 0], '{"a":1}'],
  ['union', ['null', 'string'], [2, 2, 0x61], '"a"'],
  [
    'record that holds itself',
    {
      type: 'record',
      name: 'Node',
      namespace: 'n',
      fields: [
        { name: 'label', type: 'string' },
        { name: 'next', type: ['null', 'Node'] },
      ],
    },
    [2, 0x61, 2, 2, 0x62, 0],
    '{"label":"a","next":{"label":"b","next":null}}',
  ],
]

test('values of every type are read', () => {
  for (const [name, schema, bytes, text] of table) {
    // In the middle of a record, after the id of its schema.
    const read = avroValueText(parseAvroSchema(JSON.stringify(schema)), Buffer.from([9, 9, ...bytes]), 2)
    assert.equal(read, text, name)
  }
})

test('bytes of another type are refused, and nothing after them is read', () => {
  const stringOf = parseAvroSchema('"string"')
  assert.throws(() => avroValueText(stringOf, Buffer.of(20, 0x61), 0), RangeError)
  assert.throws(() => avroValueText(stringOf, Buffer.of(2, 0x61, 0x62), 0), RangeError)
  assert.throws(() => avroValueText(parseAvroSchema('["null","int"]'), Buffer.of(4), 0), RangeError)
  assert.throws(() => avroValueText(parseAvroSchema('"long"'), Buffer.alloc(12, 0xff), 0), RangeError)
})

test('items without bytes are limited, so that corrupt bytes do not exhaust the memory', () => {
  const nulls = parseAvroSchema('{"type":"array","items":"null"}')
  assert.equal(avroValueText(nulls, Buffer.of(6, 0), 0), '[null,null,null]')
  // 2^34 - 1 nulls.
  const many = Buffer.of(0xfe, 0xff, 0xff, 0xff, 0x7f, 0)
  assert.throws(() => avroValueText(nulls, many, 0), RangeError)
  assert.throws(() => avroValueText(parseAvroSchema('{"type":"map","values":"null"}'), many, 0), RangeError)
  // A million nulls in each of many arrays.
  const nested = parseAvroSchema('{"type":"array","items":{"type":"array","items":"null"}}')
  const million = [0x80, 0x89, 0x7a, 0]
  const bytes = Buffer.from([0x80, 0x02, ...Array.from({ length: 128 }, () => million).flat(), 0])
  assert.throws(() => avroValueText(nested, bytes, 0), RangeError)
})

test('an undeclared name is refused', () => {
  assert.throws(() => parseAvroSchema('"Nobody"'), SyntaxError)
})
