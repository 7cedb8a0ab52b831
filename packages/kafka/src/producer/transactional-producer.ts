import { doneOr, StoppedError, toError, withTimeout, type Clock } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { ProducerTopic, TopicOptions } from '../api/producer.ts'
import type { ProducerStats } from '../api/producer-stats.ts'
import type { TransactionalProducer, TransactionalProducerOptions } from '../api/transactional-producer.ts'
import { Cluster, type ClusterContext } from '../cluster/cluster.ts'
import type { ProducerState } from '../protocol/record-batch.ts'
import { IdempotentProducer } from './idempotent-producer.ts'
import { Transaction } from './transaction.ts'
import { TransactionCoordinator } from '../transaction/transaction-coordinator.ts'

/** Java's default of transaction.timeout.ms. */
export const TRANSACTION_TIMEOUT_MS = 60_000

/** Takes over the transactional id, with retries while brokers are unreachable, and starts a producer with it. */
export async function startTransactionalProducer(
  context: ClusterContext,
  options: TransactionalProducerOptions,
  signal?: AbortSignal,
): Promise<TransactionalProducer> {
  const { transactionalId, transactionTimeoutMs = TRANSACTION_TIMEOUT_MS } = options
  const requestTimeoutMs = options.requestTimeoutMs ?? context.login.requestTimeoutMs
  const limited = { ...context, login: { ...context.login, requestTimeoutMs } }
  const coordinator = new TransactionCoordinator(limited, { transactionalId, transactionTimeoutMs })
  try {
    const state = await coordinator.init(signal)
    const { clock } = context
    return new CoordinatedProducer(new Cluster(limited), coordinator, state, {
      ...options,
      transactionTimeoutMs,
      clock,
    })
  } catch (thrown) {
    await coordinator.close()
    throw thrown
  }
}

const ABORT_TIMEOUT_MS = 2_000

/** An idempotent producer whose batches are admitted by the open transaction. */
class CoordinatedProducer implements TransactionalProducer {
  readonly transactionTimeoutMs: number
  readonly #producer: IdempotentProducer
  readonly #coordinator: TransactionCoordinator
  readonly #state: ProducerState
  readonly #transaction: Transaction
  readonly #clock: Clock
  readonly #stop = new AbortController()
  #isCommitting = false
  #isClosed = false

  constructor(
    cluster: Cluster,
    coordinator: TransactionCoordinator,
    state: ProducerState,
    options: TransactionalProducerOptions & { readonly transactionTimeoutMs: number; readonly clock: Clock },
  ) {
    this.#clock = options.clock
    this.transactionTimeoutMs = options.transactionTimeoutMs
    this.#coordinator = coordinator
    this.#state = state
    this.#transaction = new Transaction({
      id: options.transactionalId,
      add: (partitions) => coordinator.add(state, partitions, this.#stop.signal),
      onAdmitted: () => this.#producer.dispatchWaiting(),
      onFailure: (error) => this.#producer.fail(error),
    })
    this.#producer = new IdempotentProducer(cluster, options, {
      state,
      firstSequence: 0,
      transaction: this.#transaction,
    })
  }

  get failure(): Error | null {
    return this.#producer.failure
  }

  get isFull(): boolean {
    return this.#producer.isFull
  }

  get bufferedBytes(): number {
    return this.#producer.bufferedBytes
  }

  get bufferBytesMax(): number {
    return this.#producer.bufferBytesMax
  }

  get stats(): ProducerStats {
    return this.#producer.stats
  }

  get moreFollows(): boolean {
    return this.#producer.moreFollows
  }

  set moreFollows(moreFollows: boolean) {
    this.#producer.moreFollows = moreFollows
  }

  topic(name: string, options?: TopicOptions): Promise<ProducerTopic> {
    return this.#producer.topic(name, options)
  }

  knownTopic(name: string): ProducerTopic | null {
    return this.#producer.knownTopic(name)
  }

  ready(signal?: AbortSignal): Promise<void> {
    return this.#producer.ready(signal)
  }

  flush(signal?: AbortSignal): Promise<void> {
    return this.#producer.flush(signal)
  }

  moveWindow(start: number): void {
    this.#producer.moveWindow(start)
  }

  async commit(end: number, signal?: AbortSignal): Promise<void> {
    if (this.#isCommitting) throw new TypeError('a transaction is committed after the one before')
    this.#isCommitting = true
    this.#transaction.close(end)
    try {
      await this.#producer.flush(signal)
      if (!this.#transaction.isEmpty) await this.#commit(signal)
      this.#transaction.next()
      this.#isCommitting = false
    } catch (thrown) {
      // The transaction may or may not be committed, so the producer must not send any more.
      const error = thrown instanceof StoppedError ? kafkaErrors.PRODUCER_CLOSED({}) : toError(thrown)
      this.#producer.fail(error)
      throw thrown
    }
  }

  async #commit(signal: AbortSignal | undefined): Promise<void> {
    const stop = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal])
    await doneOr(this.#coordinator.commit(this.#state, stop), stop)
  }

  async abort(signal?: AbortSignal): Promise<void> {
    const isEmpty = this.#transaction.isEmpty
    await this.#end()
    if (!isEmpty) await this.#coordinator.abort(this.#state, signal)
  }

  /** Aborts an open transaction, within a limit: readers of committed records wait for its end. */
  async close(): Promise<void> {
    const isOpen = !this.#isClosed && !this.#transaction.isEmpty
    await this.#end()
    try {
      if (isOpen)
        await withTimeout(this.#clock, ABORT_TIMEOUT_MS, (limit) => this.#coordinator.abort(this.#state, limit))
    } catch {
      // Without an answer the coordinator aborts it after its timeout, or when the id is taken over.
    }
    await this.#coordinator.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #end(): Promise<void> {
    this.#isClosed = true
    this.#stop.abort()
    await this.#producer.close()
  }
}
