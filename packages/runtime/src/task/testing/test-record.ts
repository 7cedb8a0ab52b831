import { NO_HEADERS, type SourceOffset, type SourcePartition, type SourceRecord } from '@tributary/connect-api'

export const PARTITION: SourcePartition = { server: 'dbserver1' }

export function offsetAt(pos: number): SourceOffset {
  return { toDocument: () => ({ pos }) }
}

/** A record with its position in key and value. */
export function recordAt(pos: number, changes: Partial<SourceRecord> = {}): SourceRecord {
  return {
    sourcePartition: PARTITION,
    sourceOffset: offsetAt(pos),
    topic: 'orders',
    partition: null,
    keySchema: null,
    key: `k${pos}`,
    valueSchema: null,
    value: `v${pos}`,
    timestamp: null,
    headers: NO_HEADERS,
    ...changes,
  }
}
