import type { TransactionalProducer } from '@tributary/kafka'
import { doneOr } from '@tributary/support'
import { MemoryProducer, type SentRecord } from './memory-producer.ts'

/** A transactional producer without brokers. A test completes its commits. */
export class MemoryTransactionalProducer extends MemoryProducer implements TransactionalProducer {
  readonly transactionTimeoutMs: number = 60_000
  /** The committed transactions, in order. */
  readonly committed: (readonly SentRecord[])[] = []
  isAborted = false
  /** Commits wait until `completeCommit`. */
  holdsCommits = false
  #commit: PromiseWithResolvers<void> | null = null
  #committedCount = 0

  get isCommitting(): boolean {
    return this.#commit !== null
  }

  async commit(end: number, signal?: AbortSignal): Promise<void> {
    const commit = Promise.withResolvers<void>()
    this.#commit = commit
    if (!this.holdsCommits) commit.resolve()
    await doneOr(commit.promise, signal)
    this.#commit = null
    if (this.failure !== null) throw this.failure
    const upTo = this.sent.filter(({ token }) => token < end)
    this.committed.push(upTo.slice(this.#committedCount))
    this.#committedCount = upTo.length
  }

  completeCommit(): void {
    this.#commit?.resolve()
  }

  /** Fences the producer while it commits. */
  failCommit(error: Error): void {
    this.fail(error)
    this.#commit?.resolve()
  }

  abort(): Promise<void> {
    this.isAborted = true
    return Promise.resolve()
  }
}
