import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOffsetsDocument } from './offsets-document.ts'

test('a whole number beyond 2^53 keeps its digits', () => {
  const properties = readOffset('{"pos":9007199254740993,"row":-9007199254740991,"x":1.5}')
  assert.deepEqual(
    [...(properties ?? [])],
    [
      ['pos', 9007199254740993n],
      ['row', -9007199254740991],
      ['x', 1.5],
    ],
  )
})

test('a repeated name has its last value', () => {
  assert.deepEqual(
    [...(readOffset('{"pos":1,"file":"f","pos":2}') ?? [])],
    [
      ['pos', 2],
      ['file', 'f'],
    ],
  )
})

test('an object or array is read as a kind without content, as deep as Jackson allows', () => {
  const [objects, arrays] = ['{"a":'.repeat(994) + '1' + '}'.repeat(994), '['.repeat(994) + ']'.repeat(994)]
  const properties = readOffset(`{"map":${objects},"array":${arrays}}`)
  assert.deepEqual([...(properties?.values() ?? [])], [{ kind: 'MAP' }, { kind: 'ARRAY' }])
})

const refused: readonly (readonly [what: string, body: string, message: RegExp])[] = [
  [
    'nesting over the limit',
    `{"offsets":[{"offset":{"a":${'['.repeat(100_000)}`,
    /^Document nesting depth \(1001\) exceeds the maximum allowed \(1000, from `StreamReadConstraints/,
  ],
  [
    'nesting over the limit in an unknown property',
    `{"x":${'{"a":'.repeat(100_000)}`,
    /^Document nesting depth \(1001\) exceeds/,
  ],
  [
    'another list after the list',
    '{"offsets":[],"offsets":[{}]}',
    /^Field "offsets" \(class [\w.]+\) has another value already\n at .*; line: 1, column: 25\]$/,
  ],
  ['an item that is a number', '{"offsets":[5]}', /^Cannot construct instance of `.*ConnectorOffset` .*\(5\)/],
]

for (const [what, body, message] of refused) {
  test(`refuses ${what}`, () => {
    assert.throws(() => readOffsetsDocument(Buffer.from(body)), { name: 'JsonError', message })
  })
}

/** The offset of a document with one item. */
function readOffset(offset: string): ReadonlyMap<string, unknown> | null | undefined {
  return readOffsetsDocument(Buffer.from(`{"offsets":[{"offset":${offset}}]}`))?.offsets?.[0]?.offset
}
