import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { compressionsAlgorithms } from '@platformatic/kafka'
import { readBatches, readRecords } from './batch-reader.ts'
import { lz4LengthMax, snappyLength } from './decompressed-size.ts'
import { BATCH_HEADER_BYTES, CODEC_ATTRIBUTE, stampBatch, writeBatchHeader } from './record-batch.ts'

/** A batch whose header is correct. */
function batch(records: Buffer, codec: keyof typeof CODEC_ATTRIBUTE, recordCount = 1): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(BATCH_HEADER_BYTES), records])
  writeBatchHeader(bytes, bytes.length, {
    attributes: CODEC_ATTRIBUTE[codec],
    recordCount,
    baseTimestamp: 0,
    maxTimestamp: 0,
  })
  stampBatch(bytes, { producerId: -1n, epoch: -1 }, -1)
  return bytes
}

function read(bytes: Buffer): unknown {
  return readBatches(bytes).flatMap(readRecords)
}

const ZEROS = Buffer.alloc(2 ** 27 + 1)
const BOMBS = {
  gzip: zlib.gzipSync(ZEROS, { level: 1 }),
  zstd: zlib.zstdCompressSync(ZEROS),
  snappy: compressionsAlgorithms.snappy.compressSync(ZEROS),
  lz4: compressionsAlgorithms.lz4.compressSync(ZEROS),
}

for (const codec of ['gzip', 'zstd', 'snappy', 'lz4'] as const) {
  test(`a batch that decompresses to more than 128 MiB is refused: ${codec}`, () => {
    const bytes = batch(BOMBS[codec], codec)
    assert.ok(bytes.length < 8 << 20)
    assert.throws(() => read(bytes), { name: 'RangeError', message: 'its records decompress to more than 128 MiB' })
  })
}

test('what snappy declares is refused before it is allocated, also in a stream of Java', () => {
  const block = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0])
  const head = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1])
  assert.equal(snappyLength(block), 2 ** 32 - 1)
  assert.equal(snappyLength(Buffer.concat([head, Buffer.from([0, 0, 0, 6]), block])), 2 ** 32 - 1)
  assert.throws(() => read(batch(block, 'snappy')), /more than 128 MiB/)
})

/** The records of the batches that Java has written, see fixtures/README.md. */
function javaRecords(codec: string): readonly Buffer[] {
  const segment = readFileSync(new URL(`../../fixtures/java-batches/${codec}.segment`, import.meta.url))
  return readBatches(segment).map(({ bytes }) => bytes.subarray(BATCH_HEADER_BYTES))
}

test('the computed sizes are those of batches that Java has written', () => {
  for (const records of javaRecords('snappy')) {
    assert.equal(snappyLength(records), compressionsAlgorithms.snappy.decompressSync(records).length)
  }
  for (const records of javaRecords('lz4')) {
    const { length } = compressionsAlgorithms.lz4.decompressSync(records)
    const most = lz4LengthMax(records)
    // Blocks of Java have 64 KiB.
    assert.ok(length <= most && most < length + 65_536, `${length} of ${most}`)
  }
})

test('more records or headers than the bytes can hold are refused', () => {
  assert.throws(() => read(batch(Buffer.alloc(0), 'none', 2 ** 31 - 1)), /has more than 1000000 records/)
  // length 8, attributes, timestamp, offset, key null, value null, 2^31 headers (a zigzag varint)
  const record = Buffer.from([0x14, 0, 0, 0, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x10])
  assert.throws(() => read(batch(record, 'none')), { message: 'a record has 2147483648 headers' })
})
