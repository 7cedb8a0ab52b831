import type { LogRecord } from '@tributary/kafka'
import { doneOr } from '@tributary/support'
import type { TextRecord } from '../topic-writer.ts'
import { logRecord } from './recorded-topic.ts'

/** An internal topic in memory. Passes records to the listener at once, or when the test calls `deliver`. */
export class MemoryLog {
  readonly records: TextRecord[] = []
  onRecord: (record: LogRecord) => void = () => undefined
  /** Thrown by the next write. */
  writeError: Error | null = null
  #undelivered: LogRecord[] = []
  #isHeld = false
  #delivered: PromiseWithResolvers<void> = Promise.withResolvers()

  write(records: readonly TextRecord[]): Promise<void> {
    const error = this.writeError
    this.writeError = null
    if (error !== null) return Promise.reject(error)
    for (const { key, value } of records) {
      this.#undelivered.push(logRecord(key, value, this.records.push({ key, value }) - 1))
    }
    if (!this.#isHeld) this.deliver()
    return Promise.resolve()
  }

  /** Makes records wait for `deliver` from now on. */
  hold(): void {
    this.#isHeld = true
  }

  /** Passes the waiting records to the listener. */
  deliver(): void {
    for (const record of this.#undelivered.splice(0)) this.onRecord(record)
    this.#delivered.resolve()
    this.#delivered = Promise.withResolvers()
  }

  /** Ends the hold: passes records to the listener at once again. */
  release(): void {
    this.#isHeld = false
    this.deliver()
  }

  async readToEnd(signal?: AbortSignal): Promise<void> {
    while (this.#undelivered.length > 0) await doneOr(this.#delivered.promise, signal)
  }
}
