import type { OffsetDocument, SourcePartition } from '@tributary/connect-api'
import type { LogRecord } from '@tributary/kafka'
import type { Logger } from '@tributary/support'
import { parseOffsetKey, parseOffsetValue, partitionText } from './offset-record.ts'

/** One stored offset. */
export interface StoredOffset {
  readonly partition: SourcePartition
  readonly offset: OffsetDocument
}

/** The offsets of all source connectors, as the records of the offset topic say (Connect's KafkaOffsetBackingStore). */
export class OffsetStore {
  /** By connector, then by the text of the partition. */
  readonly #offsets = new Map<string, Map<string, RawOffset>>()
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** All offsets of a connector. Throws when one cannot be read: to start without it would be to start anew. */
  offsets(connector: string): readonly StoredOffset[] {
    return [...(this.#offsets.get(connector)?.values() ?? [])].map(({ partition, text }) => ({
      partition,
      offset: parseOffsetValue(text, connector, partition),
    }))
  }

  /** The partitions of which a connector has an offset, also one that cannot be read. */
  partitions(connector: string): readonly SourcePartition[] {
    return [...(this.#offsets.get(connector)?.values() ?? [])].map(({ partition }) => partition)
  }

  /** The partition in the order in which it is stored, so that its offset gets the same key; as it is when there is none. */
  storedPartition(connector: string, partition: SourcePartition): SourcePartition {
    return this.#offsets.get(connector)?.get(partitionText(partition))?.partition ?? partition
  }

  /** A record of the offset topic; a key that is not one is skipped, as Connect does. */
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
