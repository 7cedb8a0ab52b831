import type { OutgoingRecord, RecordHeader, RecordPart } from '../api/records.ts'
import { varintBytes } from './varint.ts'

/*
 * Record (protocol guide, "Record"):
 *
 *   length          VARINT   bytes after it
 *   attributes      INT8     0
 *   timestampDelta  VARLONG  to baseTimestamp of the batch
 *   offsetDelta     VARINT
 *   keyLength       VARINT   -1: null
 *   key
 *   valueLength     VARINT   -1: null
 *   value
 *   headersCount    VARINT
 *   headers         headerKeyLength VARINT, headerKey, headerValueLength VARINT (-1: null), headerValue
 */

export interface BatchLimits {
  /** Bytes of the uncompressed batch, header included. A first record may exceed it. */
  readonly batchBytesMax: number
  /** The largest batch that the topic accepts, as it is sent. */
  readonly wireBytesMax: number
}

/** A sealed batch: header (without producer state) and records, in the first `length` bytes of `buffer`. */
export interface EncodedBatch {
  readonly buffer: Buffer
  readonly length: number
}

/**
 * An open batch. Appended records are written into the buffer that the Produce request is sent from.
 * `PlainBatchBuilder` writes them uncompressed, `PrefixBatchBuilder` as LZ4.
 */
export interface BatchBuilder {
  readonly recordCount: number
  /** Bytes of the records, uncompressed. */
  readonly recordBytes: number
  /** The greatest timestamp of its records, milliseconds since 1970. */
  readonly maxTimestamp: number
  /** Copies the record. Returns false when it does not fit: the batch is unchanged, and the caller seals it. */
  append(record: OutgoingRecord, timestamp: number): boolean
  finish(): EncodedBatch
}

/** Bytes that the length field of a record takes at most. */
export const RECORD_LENGTH_BYTES_MAX = 5

/** Bytes of a record after its length field. */
export function recordBodyBytes(record: OutgoingRecord, timestampDelta: number, offsetDelta: number): number {
  const { key, value, headers } = record
  let bytes = 1 + varintBytes(timestampDelta) + varintBytes(offsetDelta)
  bytes += key === null ? 1 : fieldBytes(partBytes(key))
  bytes += value === null ? 1 : fieldBytes(partBytes(value))
  if ('count' in headers) return bytes + varintBytes(headers.count) + headers.end
  return bytes + (headers.length === 0 ? 1 : headersBytes(headers))
}

export function partBytes(part: RecordPart): number {
  return part.prefix.length + part.end - part.start
}

function fieldBytes(length: number): number {
  return varintBytes(length) + length
}

function headersBytes(headers: readonly RecordHeader[]): number {
  let bytes = varintBytes(headers.length)
  for (const header of headers) {
    bytes += fieldBytes(header.key.length)
    bytes += header.value === null ? 1 : fieldBytes(header.value.length)
  }
  return bytes
}

/** The zigzag varint of -1. */
export const NULL_LENGTH = 1
