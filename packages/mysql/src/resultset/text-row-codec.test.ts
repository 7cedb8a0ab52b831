import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textTarget } from '../testing/text-targets.ts'
import { TextRowCodec } from './text-row-codec.ts'

// column-values.server.test.ts compares values of every type with the server's; this file tests the form of rows.

/** A row: each value after its length in one byte, NULL as 0xfb. */
function rowOf(values: readonly (string | null)[]): Buffer {
  return Buffer.concat(
    values.map((value) =>
      value === null
        ? Buffer.from([0xfb])
        : Buffer.concat([Buffer.from([Buffer.byteLength(value)]), Buffer.from(value)]),
    ),
  )
}

const codec = new TextRowCodec([textTarget('integer'), textTarget('text'), textTarget('json')])

test('values are in the order of the columns, NULL is null', () => {
  const row = rowOf(['-7', 'é', '{"a": [1, "x, y: z"], "b\\"": null}'])
  const bytes = Buffer.concat([Buffer.from('before'), row, Buffer.from('after')])

  assert.deepEqual(codec.read(bytes, 6, 6 + row.length), ['-7', 'é', '{"a":[1,"x, y: z"],"b\\"":null}'])
  assert.deepEqual(codec.read(rowOf([null, '', null]), 0, 3), [null, '', null])
})

test('lengths of two, three and eight bytes are read', () => {
  const text = new TextRowCodec([textTarget('text')])
  for (const [length, prefix] of [
    [251, 'fcfb00'],
    [65_535, 'fcffff'],
    [65_536, 'fd000001'],
    [1 << 24, 'fe0000000100000000'],
  ] as const) {
    const row = Buffer.concat([Buffer.from(prefix, 'hex'), Buffer.alloc(length, 0x61)])
    const [value] = text.read(row, 0, row.length)
    assert.equal(value?.length, length)
  }
})

test('a row with more or fewer columns, or a truncated one, is refused', () => {
  const whole = rowOf(['1', 'two', '3'])
  const others = [
    rowOf(['1', 'two']),
    rowOf(['1', 'two', '3', '4']),
    whole.subarray(0, -1),
    Buffer.from([0xff, 0, 0]),
    Buffer.alloc(0),
  ]
  for (const row of others) {
    // The following bytes of the same chunk must not be read as the rest of the row.
    const bytes = Buffer.concat([row, whole])
    assert.throws(() => codec.read(bytes, 0, row.length), RangeError)
  }
})
