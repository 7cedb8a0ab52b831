import type { Producer, ProducerOptions } from './producer.ts'

export interface TransactionalProducerOptions extends Omit<ProducerOptions, 'sendWindow'> {
  /** Only the last producer that was started with this id can write. */
  readonly transactionalId: string
  /**
   * How long a transaction may be open before the broker aborts it (Java's transaction.timeout.ms). Default 60 s, at
   * most transaction.max.timeout.ms of the brokers.
   */
  readonly transactionTimeoutMs?: number
}

/**
 * A producer whose records belong to transactions: consumers with `isolation.level=read_committed` see all records of a
 * transaction or none. A transaction opens with its first record, at the latest when a batch of it is produced.
 *
 * When it starts, it fences the producer that had its id before, and resolves that producer's open transaction. When it
 * is fenced itself, its failure is PRODUCER_FENCED.
 */
export interface TransactionalProducer extends Producer {
  readonly transactionTimeoutMs: number
  /**
   * Commits the transaction of all records sent so far; their tokens are less than `end`. Records that are sent
   * meanwhile, with `end` and later tokens, wait for the next transaction. One call at a time. Resolves when the
   * coordinator has decided the commit; repeats the request until it knows that.
   *
   * When it rejects, the producer has failed, and the transaction may or may not be committed: only the topic shows it.
   */
  commit(end: number, signal?: AbortSignal): Promise<void>
  /**
   * Drops unacknowledged records and aborts the open transaction, so that consumers do not wait for it until it times
   * out. The producer cannot be used afterwards; close it.
   */
  abort(signal?: AbortSignal): Promise<void>
}
