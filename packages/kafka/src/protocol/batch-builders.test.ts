import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Reader, compressionsAlgorithms, readRecordsBatch } from '@platformatic/kafka'
import type { Compression } from '../api/producer.ts'
import type { OutgoingRecord } from '../api/records.ts'
import { readBatches, readRecords } from './batch-reader.ts'
import type { BatchBuilder, EncodedBatch } from './batch-builder.ts'
import { BufferPool } from './buffer-pool.ts'
import { compressBatch } from './compression.ts'
import { PlainBatchBuilder } from './plain-batch-builder.ts'
import { sequenceAfter, stampBatch } from './record-batch.ts'
import { PrefixBatchBuilder } from './prefix-batch-builder.ts'
import { headerList, noise, partOf, testRecords } from '../testing/test-records.ts'

const limits = { batchBytesMax: 2 ** 20, wireBytesMax: 1_048_588 }
const pool = new BufferPool(2 ** 24)

/** A record as the decoder of the client library returns it. */
function expected(record: OutgoingRecord, index: number): unknown {
  return {
    offsetDelta: index,
    timestamp: BigInt(record.timestamp ?? 0),
    key: partOf(record.key),
    value: partOf(record.value),
    headers: headerList(record).map((header) => [header.key, header.value]),
  }
}

function decodedByLibrary(batch: Buffer): unknown[] {
  const decoded = readRecordsBatch(Reader.from(batch))
  return decoded.records.map((record) => ({
    offsetDelta: record.offsetDelta,
    timestamp: decoded.firstTimestamp + record.timestampDelta,
    key: record.key,
    value: record.value,
    headers: record.headers,
  }))
}

/** Appends the records to as many builders as needed; returns the batches with their records. */
function build(
  records: readonly OutgoingRecord[],
  make: () => BatchBuilder,
): { batch: EncodedBatch; appended: OutgoingRecord[] }[] {
  const built: { batch: EncodedBatch; appended: OutgoingRecord[] }[] = []
  let builder = make()
  let appended: OutgoingRecord[] = []
  for (const record of records) {
    if (!builder.append(record, record.timestamp ?? 0)) {
      built.push({ batch: builder.finish(), appended })
      builder = make()
      appended = []
      assert.ok(builder.append(record, record.timestamp ?? 0))
    }
    appended.push(record)
  }
  return [...built, { batch: builder.finish(), appended }]
}

const builders: readonly (readonly [string, Compression, () => BatchBuilder])[] = [
  ['plain', 'none', () => new PlainBatchBuilder(pool, limits, 100)],
  ['prefix', 'none', () => new PrefixBatchBuilder(pool, limits, 100)],
  ['gzip', 'gzip', () => new PlainBatchBuilder(pool, limits, 100)],
  ['snappy', 'snappy', () => new PlainBatchBuilder(pool, limits, 100)],
  ['lz4', 'lz4', () => new PlainBatchBuilder(pool, limits, 100)],
  ['zstd', 'zstd', () => new PlainBatchBuilder(pool, limits, 100)],
]

for (const [name, codec, make] of builders) {
  test(`${name}: the library and the own reader decode every record`, async () => {
    for (let seed = 1; seed <= 12; seed++) {
      for (const { batch, appended } of build(testRecords({ seed, count: 40 * seed }), make)) {
        const encoded = codec === 'none' ? batch : await compressBatch(batch, codec, pool)
        const bytes = Buffer.from(encoded.buffer.subarray(0, encoded.length))
        stampBatch(bytes, { producerId: 7n, epoch: 3 }, 5)

        assert.deepEqual(decodedByLibrary(bytes), appended.map(expected), `seed ${seed}`)
        const [read, ...others] = readBatches(bytes)
        assert.ok(read && others.length === 0)
        assert.deepEqual(
          readRecords(read).map((record) => ({
            ...record,
            timestamp: BigInt(record.timestamp),
            headers: record.headers.map((h) => [h.key, h.value]),
          })),
          appended.map(expected),
        )
        assert.equal(read.lastOffset, BigInt(appended.length - 1))
      }
    }
  })
}

test('no batch exceeds its limits', () => {
  const small = { batchBytesMax: 20_000, wireBytesMax: 15_000 }
  for (let seed = 1; seed <= 20; seed++) {
    const records = testRecords({ seed, count: 300 }).filter(
      (record) => (partOf(record.value)?.length ?? 0) < 9000 && (partOf(record.key)?.length ?? 0) < 4000,
    )
    const plain = build(records, () => new PlainBatchBuilder(pool, small, 100))
    assert.ok(plain.length > 3)
    for (const { batch } of plain) assert.ok(batch.length <= 15_000, String(batch.length))
    for (const { batch, appended } of build(records, () => new PrefixBatchBuilder(pool, small, 100))) {
      assert.ok(batch.length <= 15_000, String(batch.length))
      const bytes = appended.reduce((sum, r) => sum + (partOf(r.key)?.length ?? 0) + (partOf(r.value)?.length ?? 0), 0)
      assert.ok(bytes <= 20_000, String(bytes))
    }
  }
})

test('a batch of several blocks is decoded, and matches stay within their block', () => {
  const large = { batchBytesMax: 2 ** 22, wireBytesMax: 1_048_588 }
  const prefix = noise(3000)
  const records = Array.from({ length: 1200 }, (_, i): OutgoingRecord => {
    const text = Buffer.from(`{"id":${i},"text":"${'again and again '.repeat(i % 100)}"}`)
    const value = { prefix, buffer: text, start: 0, end: text.length }
    return { key: null, value, headers: [], partition: 0, timestamp: i, token: i }
  })
  const [first, second, ...others] = build(records, () => new PrefixBatchBuilder(pool, large, 100))
  assert.ok(first && second && others.length === 0)
  const { buffer, length } = first.batch
  stampBatch(buffer.subarray(0, length), { producerId: 7n, epoch: 3 }, 5)
  assert.deepEqual(decodedByLibrary(buffer.subarray(0, length)), first.appended.map(expected))
  const [read] = readBatches(buffer.subarray(0, length))
  assert.ok(read)
  assert.deepEqual(
    readRecords(read).map(({ value }) => value),
    first.appended.map(({ value }) => partOf(value)),
  )

  const sizes = blockSizes(buffer)
  assert.ok(sizes.length >= 4 && sizes.every((size) => size <= 2 ** 20), sizes.join())
  assert.equal(
    sizes.reduce((sum, size) => sum + 4 + size, 61 + 7 + 4),
    length,
  )
})

test('records of any kind are decoded from batches of several blocks', () => {
  const large = { batchBytesMax: 2 ** 22, wireBytesMax: 2 ** 22 }
  for (const seed of [1, 2, 3]) {
    const records = testRecords({ seed, count: 4000 })
    const built = build(records, () => new PrefixBatchBuilder(pool, large, 100))
    assert.ok(built.some(({ appended }) => bytesOf(appended) > 2 ** 21))
    for (const { batch, appended } of built) {
      const bytes = Buffer.from(batch.buffer.subarray(0, batch.length))
      stampBatch(bytes, { producerId: 7n, epoch: 3 }, 5)
      assert.deepEqual(decodedByLibrary(bytes), appended.map(expected))
    }
  }
})

test('the room reserved for a record includes the length bytes of a long run before it', () => {
  const large = { batchBytesMax: 2 ** 22, wireBytesMax: 2 ** 22 }
  const prefix = noise(3000)
  const text = noise(220_000)
  const recordOf = (start: number, length: number): OutgoingRecord => {
    const value = { prefix, buffer: text, start, end: start + length }
    return { key: null, value, headers: [], partition: 0, timestamp: 0, token: 0 }
  }
  // The compressed first block ends near 512 KiB, where the next record just needs a larger buffer or just does not.
  for (let length = 1690; length < 1740; length++) {
    const builder = new PrefixBatchBuilder(pool, large, 100)
    const records = [recordOf(0, 200_000), ...Array.from({ length: 230 }, (_, i) => recordOf(i, length))]
    for (const record of records) assert.ok(builder.append(record, 0))
    const { buffer, length: batchBytes } = builder.finish()
    const [read] = readStamped(buffer.subarray(0, batchBytes))
    assert.ok(read)
    for (const [i, { value }] of readRecords(read).entries()) {
      const { buffer: bytes = text, start = 0, end = 0 } = records[i]?.value ?? {}
      assert.ok(value?.equals(Buffer.concat([prefix, bytes.subarray(start, end)])), `record ${i} of ${length}`)
    }
  }
})

test('a block without repetitions is no larger than the frame declares', () => {
  const prefix = noise(100)
  const text = noise(50_000)
  const records = Array.from({ length: 60 }, (_, i): OutgoingRecord => {
    // 26 of them are slightly less than 1 MiB, and more with the length bytes of their literals.
    const value = { prefix, buffer: text, start: 100 * i, end: 100 * i + 40_208 }
    return { key: null, value, headers: [], partition: 0, timestamp: 0, token: i }
  })
  const large = { batchBytesMax: 2 ** 22, wireBytesMax: 2 ** 22 }
  const [first] = build(records, () => new PrefixBatchBuilder(pool, large, 100))
  assert.ok(first)
  const sizes = blockSizes(first.batch.buffer)
  assert.ok(sizes.length === 3 && sizes.every((size) => size <= 2 ** 20), sizes.join())
})

/**
 * Compressed sizes. After the headers of batch (61 bytes) and frame (7 bytes), each block follows its size; 0 ends
 * them.
 */
function blockSizes(batch: Buffer): readonly number[] {
  const sizes: number[] = []
  for (let at = 61 + 7; batch.readUInt32LE(at) > 0; at += 4 + (sizes.at(-1) ?? 0)) sizes.push(batch.readUInt32LE(at))
  return sizes
}

function bytesOf(records: readonly OutgoingRecord[]): number {
  return records.reduce((sum, { key, value }) => sum + (partOf(key)?.length ?? 0) + (partOf(value)?.length ?? 0), 0)
}

function readStamped(batch: Buffer): ReturnType<typeof readBatches> {
  stampBatch(batch, { producerId: 7n, epoch: 3 }, 5)
  return readBatches(batch)
}

test('an empty batch accepts a record larger than the limit', () => {
  const builder = new PlainBatchBuilder(pool, { batchBytesMax: 1000, wireBytesMax: 1_048_588 }, 100)
  const [record] = testRecords({ seed: 1, count: 1 })
  assert.ok(record)
  const large = { ...record, value: { prefix: Buffer.alloc(0), buffer: Buffer.alloc(5000, 'v'), start: 0, end: 5000 } }

  assert.equal(builder.append(large, 1), true)
  assert.equal(builder.append(large, 1), false)
})

test('a repeated prefix costs a few bytes in an LZ4 batch', () => {
  const prefix = Buffer.alloc(3000, 'schema')
  const rest = Buffer.from('{"id":1}}')
  const record = {
    key: null,
    value: { prefix, buffer: rest, start: 0, end: rest.length },
    headers: [],
    partition: 0,
    timestamp: 0,
    token: 0,
  }
  const builder = new PrefixBatchBuilder(pool, limits, 100)
  for (let i = 0; i < 300; i++) builder.append(record, 0)

  assert.ok(builder.recordBytes > 300 * 3000)
  // Rest, fields of the record, end of the prefix, and a sequence: token, literal length, distance, 13 of match length.
  assert.ok(builder.finish().length < 3000 + 300 * (9 + 10 + 5 + 17) + 200)
})

test('the checksum equals that of another implementation', () => {
  const builder = new PlainBatchBuilder(pool, limits, 100)
  for (const record of testRecords({ seed: 3, count: 20 })) builder.append(record, 1)
  const { buffer, length } = builder.finish()
  const batch = buffer.subarray(0, length)
  stampBatch(batch, { producerId: 1n, epoch: 0 }, 0)

  assert.equal(batch.readUInt32BE(17), bitwiseCrc32c(batch.subarray(21)))
})

test('a batch that does not get smaller stays uncompressed', async () => {
  const builder = new PlainBatchBuilder(pool, limits, 100)
  const noise = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 7919 + ((i * i) >> 3)) & 0xff))
  builder.append(
    {
      key: null,
      value: { prefix: Buffer.alloc(0), buffer: noise, start: 0, end: 300 },
      headers: [],
      partition: 0,
      timestamp: 0,
      token: 0,
    },
    0,
  )
  const plain = builder.finish()
  assert.ok(
    compressionsAlgorithms.gzip.compressSync(plain.buffer.subarray(61, plain.length)).length > plain.length - 61,
  )

  assert.equal(await compressBatch(plain, 'gzip', pool), plain)
})

test('sequence numbers wrap from 2^31 - 1 to 0', () => {
  // DefaultRecordBatch.incrementSequence of the Java client: MAX - 2 plus 5 is 2.
  assert.equal(sequenceAfter(2 ** 31 - 3, 5), 2)
  assert.equal(sequenceAfter(2 ** 31 - 1, 1), 0)
  assert.equal(sequenceAfter(7, 3), 10)
})

/** CRC-32C by its definition: polynomial 0x1EDC6F41, reflected. */
function bitwiseCrc32c(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
