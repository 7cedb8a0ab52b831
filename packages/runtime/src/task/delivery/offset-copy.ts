import { toError, type Logger } from '@tributary/support'
import type { TextRecord, TopicWriter } from '../../storage/topic-writer.ts'

/**
 * Copies the offsets of a connector with an offset topic of its own to the topic of the worker (KIP-618): for tools
 * that read only that topic, and in case the property is removed from the connector. A failed copy is only logged,
 * because offsets in the connector's own topic have precedence.
 *
 * One write at a time. Meanwhile only the newest offset of each key is kept.
 */
export class OffsetCopy {
  readonly #writer: Pick<TopicWriter, 'write'>
  readonly #logger: Logger
  readonly #waiting = new Map<string, TextRecord>()
  #writing: Promise<void> | null = null

  constructor(writer: Pick<TopicWriter, 'write'>, logger: Logger) {
    this.#writer = writer
    this.#logger = logger
  }

  add(records: readonly TextRecord[]): void {
    for (const record of records) this.#waiting.set(record.key, record)
    this.#writing ??= this.#write().finally(() => (this.#writing = null))
  }

  /** Resolves when all offsets added so far are written, or their write has failed. */
  async settled(): Promise<void> {
    await this.#writing
  }

  async #write(): Promise<void> {
    while (this.#waiting.size > 0) {
      const records = [...this.#waiting.values()]
      this.#waiting.clear()
      try {
        await this.#writer.write(records)
      } catch (error) {
        this.#logger.warn('Offsets could not be copied to the offset topic of the worker', { error: toError(error) })
        return
      }
    }
  }
}
