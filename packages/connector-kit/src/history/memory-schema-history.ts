import { MemoryCheckpoints } from './memory-checkpoints.ts'
import type { HistoryExtent, HistoryRecord, RecoverOptions, SchemaHistory } from './schema-history.ts'

/** A schema history in memory, for tests. */
export class MemorySchemaHistory implements SchemaHistory {
  readonly records: HistoryRecord[] = []
  readonly checkpoints: MemoryCheckpoints = new MemoryCheckpoints()

  connect(): Promise<void> {
    return Promise.resolve()
  }

  initialize(): Promise<void> {
    return Promise.resolve()
  }

  prepare(): Promise<void> {
    return Promise.resolve()
  }

  append(records: readonly HistoryRecord[]): Promise<void> {
    this.records.push(...records)
    return Promise.resolve()
  }

  recover(
    onRecord: (record: HistoryRecord) => void,
    { from = 0n }: Pick<RecoverOptions, 'from'> = {},
  ): Promise<HistoryExtent> {
    for (const record of this.records.slice(Number(from))) onRecord(record)
    return this.extent()
  }

  extent(): Promise<HistoryExtent> {
    return Promise.resolve({ begin: 0n, end: this.end })
  }

  fingerprint(offset: bigint): Promise<string | null> {
    const record = this.records[Number(offset)]
    return Promise.resolve(record === undefined ? null : JSON.stringify(record))
  }

  get end(): bigint {
    return BigInt(this.records.length)
  }

  measure(): Promise<void> {
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }
}
