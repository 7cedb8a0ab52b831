import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OutgoingRecord } from '../api/records.ts'
import { BufferPool } from './buffer-pool.ts'
import { HeaderBlock } from './header-block.ts'
import { PlainBatchBuilder } from './plain-batch-builder.ts'
import { PrefixBatchBuilder } from './prefix-batch-builder.ts'

const limits = { batchBytesMax: 2 ** 20, wireBytesMax: 2 ** 20 }
const pool = new BufferPool(2 ** 20)

/** The bytes of a batch with one record. */
function batchOf(
  headers: OutgoingRecord['headers'],
  Builder: typeof PlainBatchBuilder | typeof PrefixBatchBuilder,
): string {
  const builder = new Builder(pool, limits, 1)
  builder.append({ key: null, value: null, headers, partition: 0, timestamp: 5, token: 0 }, 5)
  const { buffer, length } = builder.finish()
  // The checksum and the producer are written later.
  return buffer.toString('hex', 61, length)
}

const lists = [
  [],
  [{ key: Buffer.from('id'), value: Buffer.from('1') }],
  [
    { key: Buffer.alloc(0), value: null },
    { key: Buffer.from('empty'), value: Buffer.alloc(0) },
    {
      key: Buffer.from('a key of more than sixty-three bytes, whose length takes two bytes'),
      value: Buffer.alloc(63, 1),
    },
    { key: Buffer.from('long'), value: Buffer.alloc(70_000, 'x') },
  ],
]

for (const Builder of [PlainBatchBuilder, PrefixBatchBuilder]) {
  test(`${Builder.name}: a block has the bytes of the list of the same headers, whatever it had before`, () => {
    const block = new HeaderBlock()
    for (const list of [...lists, ...lists]) {
      block.clear()
      for (const { key, value } of list) block.add(key, value, value?.length ?? 0)
      assert.equal(batchOf(block, Builder), batchOf(list, Builder))
      assert.deepEqual(block.list(), list)
    }
  })
}

test('a value may be the beginning of a larger buffer', () => {
  const block = new HeaderBlock()
  block.add(Buffer.from('k'), Buffer.from('value and more'), 5)
  assert.deepEqual(block.list(), [{ key: Buffer.from('k'), value: Buffer.from('value') }])
})
