import type { OffsetDocument, SourcePartition } from '@tributary/connect-api'
import type { LogRecord } from '@tributary/kafka'
import type { Logger } from '@tributary/support'
import { parseOffsetKey, parseOffsetValue, partitionText } from './offset-record.ts'

/** One stored offset. */
export interface StoredOffset {
  readonly partition: SourcePartition
  readonly offset: OffsetDocument
}

/** The offsets of all source connectors from the records of the offset topic (Connect's KafkaOffsetBackingStore). */
export class OffsetStore {
  /** By connector, then by the text of the partition. */
  readonly #offsets = new Map<string, Map<string, RawOffset>>()
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** All offsets of a connector. Throws when one cannot be read: without it the connector would start from scratch. */
  offsets(connector: string): readonly StoredOffset[] {
    return [...(this.#offsets.get(connector)?.values() ?? [])].map(({ partition, text }) => ({
      partition,
      offset: parseOffsetValue(text, connector, partition),
    }))
  }

  /** The partitions for which a connector has an offset, readable or not. */
  partitions(connector: string): readonly SourcePartition[] {
    return [...(this.#offsets.get(connector)?.values() ?? [])].map(({ partition }) => partition)
  }

  /**
   * The partition with its fields in the stored order, so that its offset gets the same key. Unchanged without an
   * offset.
   */
  storedPartition(connector: string, partition: SourcePartition): SourcePartition {
    return this.#offsets.get(connector)?.get(partitionText(partition))?.partition ?? partition
  }

  /**
   * These offsets of a connector, replaced by those of its own topic where that has any (Connect's
   * ConnectorOffsetBackingStore). A tombstone in its own topic does not hide an offset here.
   */
  overlaid(connector: string, own: OffsetStore): OffsetStore {
    const merged = new OffsetStore(this.#logger)
    const offsets = [...(this.#offsets.get(connector) ?? []), ...(own.#offsets.get(connector) ?? [])]
    merged.#offsets.set(connector, new Map(offsets))
    return merged
  }

  /** Applies a record of the offset topic. Skips a record with another kind of key, as Connect does. */
  apply({ key, value }: LogRecord): void {
    const parsed = key === null ? null : parseOffsetKey(key.toString())
    if (parsed === null) {
      this.#logger.warn('Skipping a record of the offset topic whose key is not [connector, partition]', {
        key: key?.toString() ?? null,
      })
      return
    }
    const { connector, partition } = parsed
    const ofConnector = this.#offsets.get(connector) ?? new Map<string, RawOffset>()
    this.#offsets.set(connector, ofConnector)
    const id = partitionText(partition)
    if (value === null) ofConnector.delete(id)
    else ofConnector.set(id, { partition, text: value.toString() })
  }
}

interface RawOffset {
  readonly partition: SourcePartition
  readonly text: string
}
