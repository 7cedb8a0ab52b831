import { Reader, readRecordsBatch } from '@platformatic/kafka'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OutgoingRecord } from '../api/records.ts'
import { noise } from '../testing/test-records.ts'
import { BufferPool } from './buffer-pool.ts'
import { stampBatch } from './record-batch.ts'
import { PrefixBatchBuilder } from './prefix-batch-builder.ts'

const limits = { batchBytesMax: 2 ** 20, wireBytesMax: 1_048_588 }
const pool = new BufferPool(2 ** 24)
const prefix = Buffer.alloc(300, 'schema')

/**
 * The size of a batch of these texts, which the library must decode. All of them use one buffer, as those of a
 * converter do.
 */
function lengthOf(...texts: readonly Buffer[]): number {
  const builder = new PrefixBatchBuilder(pool, limits, 100)
  const shared = Buffer.alloc(Math.max(...texts.map((text) => text.length)) + 7, '~')
  for (const text of texts) {
    text.copy(shared, 7)
    const value = { prefix, buffer: shared, start: 7, end: 7 + text.length }
    const record: OutgoingRecord = { key: null, value, headers: [], partition: 0, timestamp: 0, token: 0 }
    assert.ok(builder.append(record, 0))
  }
  const { buffer, length } = builder.finish()
  const bytes = Buffer.from(buffer.subarray(0, length))
  stampBatch(bytes, { producerId: 7n, epoch: 3 }, 5)
  const { records } = readRecordsBatch(Reader.from(bytes))
  assert.deepEqual(
    records.map(({ value }) => value),
    texts.map((text) => Buffer.concat([prefix, text])),
  )
  return length
}

test('a text that repeats a sentence takes the bytes of one sentence, and some bytes per record', () => {
  const sentence = 'Größe 12345 漢字 Ελλάδα 😀 text, one of many. '
  const text = Buffer.from(sentence.repeat(80))

  const one = lengthOf(text)
  assert.ok(one < prefix.length + 2 * Buffer.byteLength(sentence) + 200, String(one))
  const ten = lengthOf(...Array.from({ length: 10 }, () => text))
  assert.ok(ten < one + 9 * (2 * Buffer.byteLength(sentence) + 100), String(ten))
})

test('a text with few repetitions ends the search, also for the texts after it', () => {
  const repeating = Buffer.from('a sentence that repeats, '.repeat(100))
  const random = noise(2000)

  const apart = lengthOf(repeating, random)
  assert.ok(lengthOf(repeating, random, repeating) > apart + repeating.length)
})

test('a short text is not searched', () => {
  const text = Buffer.alloc(1000, 'a')
  assert.ok(lengthOf(text) > prefix.length + text.length)
})

test('texts with any repetitions are decoded as written', () => {
  const piece = fc.oneof(
    fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 300 })),
    fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 3 }), fc.integer({ min: 1, max: 3000 })),
    fc.tuple(fc.uint8Array({ minLength: 100, maxLength: 2000 }), fc.constantFrom(1, 2, 40)),
  )
  const text = fc
    .array(piece, { minLength: 1, maxLength: 8 })
    .map((pieces) => Buffer.concat(pieces.flatMap(([bytes, count]) => Array.from({ length: count }, () => bytes))))
    .filter(({ length }) => length < 100_000)
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
      lengthOf(...texts)
    }),
    { numRuns: 300 },
  )
})

test('matches reach back no farther than 64 KiB', () => {
  const [head, tail] = [noise(40), Buffer.alloc(70_000, 'filling, ')]
  lengthOf(Buffer.concat([head, tail, head, tail, head]))
})
