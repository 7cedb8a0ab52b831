import type { ProducerTopic, TransactionalProducer } from '@tributary/kafka'
import { doneOr } from '@tributary/support'
import { MemoryProducer, type SentRecord } from './memory-producer.ts'

/** A transactional producer without brokers. A test completes its commits. */
export class MemoryTransactionalProducer extends MemoryProducer implements TransactionalProducer {
  readonly transactionTimeoutMs: number = 60_000
  /** The committed transactions, in order. */
  readonly committed: (readonly SentRecord[])[] = []
  /** An open transaction was aborted. */
  isAborted = false
  /** Commits wait until `completeCommit`. */
  holdsCommits = false
  #commit: PromiseWithResolvers<void> | null = null
  #committedCount = 0
  #isOpen = false

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
    this.#isOpen = this.sent.length > upTo.length
  }

  completeCommit(): void {
    this.#commit?.resolve()
  }

  /** Fences the producer while it commits. */
  failCommit(error: Error): void {
    this.fail(error)
    this.#commit?.resolve()
  }

  /** A record that is refused has opened the transaction as well. */
  override knownTopic(name: string): ProducerTopic {
    const topic = super.knownTopic(name)
    const open = (): ProducerTopic => {
      this.#isOpen = true
      return topic
    }
    return { ...topic, send: (record) => open().send(record), offer: (record) => open().offer(record) }
  }

  abort(): Promise<void> {
    this.isAborted = this.#isOpen
    return Promise.resolve()
  }
}
