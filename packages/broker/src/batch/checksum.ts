import { crc32c } from '@node-rs/crc32'
import { checkedBytes, markerBatch, readBatchHeader, writeChecksum, type MarkerFields } from './batch-header.ts'

/** Writes the checksum of a batch whose fields are complete. */
export function stampChecksum(batch: Buffer): void {
  writeChecksum(batch, crc32c(checkedBytes(batch)))
}

export function hasValidChecksum(batch: Buffer): boolean {
  return crc32c(checkedBytes(batch)) === readBatchHeader(batch).crc
}

/** The batch that ends a transaction in a partition. */
export function endMarker(fields: MarkerFields): Buffer {
  return markerBatch(fields, crc32c)
}
