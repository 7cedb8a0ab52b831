import { toError, type Logger } from '@tributary/support'
import type { TextRecord, TopicWriter } from '../../storage/topic-writer.ts'

/**
 * Copies the offsets of a connector with an offset topic of its own to that of the worker (KIP-618), for tools that look
 * only there and for the time after the connector's own topic was removed from its configuration. A copy that fails is
 * logged: the connector's own topic decides.
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

  /** Resolves when everything added so far is written, or could not be. */
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
