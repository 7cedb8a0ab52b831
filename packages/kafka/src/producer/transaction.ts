import { StoppedError, toError } from '@tributary/support'
import type { BatchAdmission } from './partition-queue.ts'
import type { TransactionPartition } from '../transaction/transaction-coordinator.ts'

export interface TransactionOptions {
  readonly id: string
  /** Adds partitions to the transaction at its coordinator; resolves when batches for them may be produced. */
  readonly add: (partitions: readonly TransactionPartition[]) => Promise<void>
  /** Batches that were held back may be produced now. */
  readonly onAdmitted: () => void
  readonly onFailure: (error: Error) => void
}

/**
 * The open transaction of a producer: which batches belong to it, and which partitions its coordinator knows.
 *
 *     transaction n                 │ transaction n + 1
 *     ──────────────────────────────┼──────────────────▶ tokens
 *     produced and acknowledged    end   held back until n is committed
 *
 * `close` sets the end. Then all batches before it are acknowledged, the coordinator commits, and `next` opens the
 * following transaction, whose first batches wait already. A partition is added at the coordinator before its first
 * batch is produced: otherwise the broker would refuse the batch, or, before Kafka 3.6, no marker would ever end it.
 */
export class Transaction {
  readonly id: string
  readonly #options: TransactionOptions
  readonly #wanted = new Set<PartitionAdmission>()
  #adding: Promise<void> | null = null
  #addedCount = 0
  #number = 0
  #end = Infinity

  constructor(options: TransactionOptions) {
    this.id = options.id
    this.#options = options
  }

  /** No partition was added: nothing was produced, and the coordinator knows of no transaction. */
  get isEmpty(): boolean {
    return this.#addedCount === 0 && this.#wanted.size === 0 && this.#adding === null
  }

  /** The admission of one partition's batches. */
  admission(partition: TransactionPartition): BatchAdmission {
    return new PartitionAdmission(this, partition)
  }

  /** Records with this token and later ones belong to the next transaction. */
  close(end: number): void {
    this.#end = end
  }

  /** The transaction is committed: opens the next one. */
  next(): void {
    this.#number += 1
    this.#addedCount = 0
    this.#end = Infinity
    this.#options.onAdmitted()
  }

  /** Whether a record belongs to a later transaction. */
  holdsBack(token: number): boolean {
    return token >= this.#end
  }

  /** Called for each attempt to produce a batch. */
  admits(firstToken: number, partition: PartitionAdmission): boolean {
    if (this.holdsBack(firstToken)) return false
    if (partition.addedTo === this.#number) return true
    // Only once: a second request that arrived after the end would open a transaction that nobody ends.
    if (partition.addingTo === this.#number) return false
    partition.addingTo = this.#number
    this.#wanted.add(partition)
    this.#adding ??= this.#addWanted()
    return false
  }

  async #addWanted(): Promise<void> {
    // One request for all partitions that were asked for in this turn of the event loop.
    await Promise.resolve()
    const { add, onAdmitted, onFailure } = this.#options
    try {
      while (this.#wanted.size > 0) {
        const wanted = [...this.#wanted]
        this.#wanted.clear()
        this.#addedCount += wanted.length
        await add(wanted.map(({ partition }) => partition))
        for (const each of wanted) each.addedTo = this.#number
        onAdmitted()
      }
    } catch (thrown) {
      if (!(thrown instanceof StoppedError)) onFailure(toError(thrown))
    } finally {
      this.#adding = null
    }
  }
}

class PartitionAdmission implements BatchAdmission {
  readonly partition: TransactionPartition
  /** The number of the transaction that it was last added to. */
  addedTo = -1
  /** The number of the transaction that it was last requested for. */
  addingTo = -1
  readonly #transaction: Transaction

  constructor(transaction: Transaction, partition: TransactionPartition) {
    this.#transaction = transaction
    this.partition = partition
  }

  admits(firstToken: number): boolean {
    return this.#transaction.admits(firstToken, this)
  }

  holdsBack(firstToken: number): boolean {
    return this.#transaction.holdsBack(firstToken)
  }
}
