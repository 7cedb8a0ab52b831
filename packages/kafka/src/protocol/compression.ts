import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { compressionsAlgorithms } from '@platformatic/kafka'
import { present } from '@tributary/support'
import { canCompress } from '../api/codec-support.ts'
import type { Compression } from '../api/producer.ts'
import type { EncodedBatch } from './batch-builder.ts'
import type { BufferPool } from './buffer-pool.ts'
import { checkDecompressedSize, lz4LengthMax, RECORDS_BYTES_MAX, snappyLength } from './decompressed-size.ts'
import { BATCH_HEADER_BYTES, CODEC_ATTRIBUTE, CODEC_MASK } from './record-batch.ts'

export type Codec = Exclude<Compression, 'none'>

const gzipOnPool = promisify(zlib.gzip)
const zstdOnPool = canCompress('zstd') ? promisify(zlib.zstdCompress) : null

/**
 * Compresses the records of a sealed plain batch. gzip and zstd run on the threads of libuv and return a promise;
 * snappy and lz4 run in WebAssembly on this thread, which costs less than passing the batch to another one. The buffer
 * of the plain batch returns to the pool. A batch that would not get smaller is returned uncompressed.
 */
export function compressBatch(
  batch: EncodedBatch,
  codec: Codec,
  pool: BufferPool,
): EncodedBatch | Promise<EncodedBatch> {
  const records = batch.buffer.subarray(BATCH_HEADER_BYTES, batch.length)
  switch (codec) {
    case 'snappy':
    case 'lz4':
      return replaceRecords(batch, compressionsAlgorithms[codec].compressSync(records), codec, pool)
    case 'gzip':
      return gzipOnPool(records).then((compressed) => replaceRecords(batch, compressed, codec, pool))
    case 'zstd':
      return present(
        zstdOnPool,
        'zstd, which producerOptionsFromProperties has checked',
      )(records).then((compressed) => replaceRecords(batch, compressed, codec, pool))
  }
}

/** The same on this thread, for the rare batch whose size the caller must know at once. */
export function compressBatchNow(batch: EncodedBatch, codec: Codec, pool: BufferPool): EncodedBatch {
  const records = batch.buffer.subarray(BATCH_HEADER_BYTES, batch.length)
  return replaceRecords(batch, compressionsAlgorithms[codec].compressSync(records), codec, pool)
}

function replaceRecords(batch: EncodedBatch, compressed: Buffer, codec: Codec, pool: BufferPool): EncodedBatch {
  const length = BATCH_HEADER_BYTES + compressed.length
  if (length >= batch.length) return batch
  const buffer = pool.take(length)
  batch.buffer.copy(buffer, 0, 0, BATCH_HEADER_BYTES)
  compressed.copy(buffer, BATCH_HEADER_BYTES)
  buffer.writeInt32BE(length - 12, 8)
  buffer.writeInt16BE(buffer.readInt16BE(21) | CODEC_ATTRIBUTE[codec], 21)
  pool.release(batch.buffer)
  return { buffer, length }
}

/**
 * Decompresses the records of a batch by the codec in its attributes. Throws the error of the codec, or a RangeError
 * for more than RECORDS_BYTES_MAX.
 */
export function decompressRecords(records: Buffer, attributes: number): Buffer {
  switch (attributes & CODEC_MASK) {
    case CODEC_ATTRIBUTE.none:
      return records
    case CODEC_ATTRIBUTE.gzip:
      return limited(() => zlib.gunzipSync(records, { maxOutputLength: RECORDS_BYTES_MAX }))
    case CODEC_ATTRIBUTE.snappy:
      checkDecompressedSize(snappyLength(records))
      return compressionsAlgorithms.snappy.decompressSync(records)
    case CODEC_ATTRIBUTE.lz4:
      checkDecompressedSize(lz4LengthMax(records))
      return compressionsAlgorithms.lz4.decompressSync(records)
    case CODEC_ATTRIBUTE.zstd:
      if (!canCompress('zstd')) return compressionsAlgorithms.zstd.decompressSync(records)
      return limited(() => zlib.zstdDecompressSync(records, { maxOutputLength: RECORDS_BYTES_MAX }))
    default:
      throw new RangeError(`unknown codec ${attributes & CODEC_MASK}`)
  }
}

/** Runs a decoder of zlib, which stops at the limit. */
function limited(decompress: () => Buffer): Buffer {
  try {
    return decompress()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      checkDecompressedSize(Infinity)
    }
    throw error
  }
}
