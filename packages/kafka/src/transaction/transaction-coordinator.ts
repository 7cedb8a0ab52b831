import { addPartitionsToTxnV3, endTxnV3, findCoordinatorV4, initProducerIdV4, type API } from '@platformatic/kafka'
import { BackOff, isRetriable, present } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import { Cluster, type ClusterContext } from '../cluster/cluster.ts'
import { checkResponse } from '../cluster/response-check.ts'
import { ErrorCode, errorName, isFenced } from '../protocol/broker-error.ts'
import type { ProducerState } from '../protocol/record-batch.ts'

export interface TransactionPartition {
  readonly topic: string
  readonly partition: number
}

export interface CoordinatorOptions {
  readonly transactionalId: string
  /** After this time the coordinator aborts an open transaction: transaction.timeout.ms. */
  readonly transactionTimeoutMs: number
}

const TRANSACTION_KEY = 1
/** Requests a new producer, also for an id that had one before. The library's default, 0, means an existing one. */
const NEW_PRODUCER = { producerId: -1n, epoch: -1 } as const
/**
 * The coordinator still writes the markers of the transaction before. It takes some milliseconds, and the client waits
 * for it between any two transactions.
 */
const CONCURRENT_PAUSES = { initialMs: 1, maxMs: 20 } as const
/** After this time the wait is logged as an outage: a broker with a partition of the transaction is unreachable. */
const CONCURRENT_LATE_MS = 1_000
const WRITE_CHECK_MS = 200

/**
 * The requests of one transactional id to its coordinator (KIP-98). Each is repeated until there is a definite answer,
 * also when its response was lost or the coordinator moved: the same request with the same epoch has no further effect.
 * So a resolved `end` means that the transaction has ended as requested, and PRODUCER_FENCED means that another
 * producer or the coordinator has ended it.
 *
 * Versions before those of KIP-890: with them the epoch stays the same from one transaction to the next, and
 * AddPartitionsToTxn from version 4 on is for brokers alone.
 */
export class TransactionCoordinator implements AsyncDisposable {
  readonly #options: CoordinatorOptions
  readonly #cluster: Cluster
  #nodeId: number | null = null

  constructor(context: ClusterContext, options: CoordinatorOptions) {
    this.#options = options
    this.#cluster = new Cluster(context)
  }

  /**
   * Takes over the id: aborts an open transaction of the producer before, completes one that it has begun to commit,
   * and fences that producer.
   *
   * @throws TRANSACTION_TIMEOUT_INVALID, NOT_AUTHORIZED or StoppedError
   */
  async init(signal?: AbortSignal): Promise<ProducerState> {
    const response = await this.#retrying('taking over', signal, () => this.#init(NEW_PRODUCER))
    return { producerId: response.producerId, epoch: response.producerEpoch, isTransactional: true }
  }

  /** Adds partitions to the open transaction, or opens one. */
  async add(producer: ProducerState, partitions: readonly TransactionPartition[], signal?: AbortSignal): Promise<void> {
    const { transactionalId } = this.#options
    const topics = byTopic(partitions)
    const transaction = { transactionalId, ...named(producer), verifyOnly: false, topics }
    await this.#retrying('opening a transaction of', signal, async () => {
      const response = await this.#request(addPartitionsToTxnV3.api, [transaction])
      const results = response.resultsByTransaction.flatMap(({ topicResults }) =>
        topicResults.flatMap(({ name, resultsByPartition }) =>
          resultsByPartition.map(({ partitionIndex, partitionErrorCode }) => ({
            subject: `${name}-${partitionIndex}`,
            errorCode: partitionErrorCode,
          })),
        ),
      )
      // When one partition is refused, the others are answered with OPERATION_NOT_ATTEMPTED.
      const failed = results.filter(({ errorCode }) => errorCode !== ErrorCode.NONE)
      const cause = failed.find(({ errorCode }) => errorCode !== OPERATION_NOT_ATTEMPTED) ?? failed[0]
      return { errorCode: cause?.errorCode ?? ErrorCode.NONE, request: 'AddPartitionsToTxn', subject: cause?.subject }
    })
  }

  /**
   * Ends the open transaction. Resolves when the coordinator has decided it: consumers see it some milliseconds later.
   */
  async commit(producer: ProducerState, signal?: AbortSignal): Promise<void> {
    const { transactionalId } = this.#options
    const { producerId, epoch } = producer
    await this.#retrying('committing a transaction of', signal, async () => {
      const { errorCode } = await this.#request(endTxnV3.api, transactionalId, producerId, epoch, true)
      return { errorCode, request: 'EndTxn' }
    })
  }

  /**
   * Aborts the open transaction and fences its producer, so that a batch of it that is still on its way has no effect.
   * The producer cannot be used any more. Unlike `init` it does not fence a producer that has taken over the id.
   */
  async abort(producer: ProducerState, signal?: AbortSignal): Promise<void> {
    await this.#cluster.retrying(
      `aborting a transaction of ${this.#options.transactionalId}`,
      async () => {
        const { errorCode } = await this.#init(producer)
        // The first answer is CONCURRENT_TRANSACTIONS: the abort is decided.
        if (errorCode === ErrorCode.CONCURRENT_TRANSACTIONS || isFenced(errorCode)) return
        this.#check({ errorCode, request: 'InitProducerId' })
      },
      signal,
    )
  }

  close(): Promise<void> {
    return this.#cluster.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #init({ producerId, epoch }: ProducerState): Promise<InitAnswer> {
    const { transactionalId, transactionTimeoutMs } = this.#options
    const response = await this.#request(initProducerIdV4.api, transactionalId, transactionTimeoutMs, producerId, epoch)
    return { ...response, request: 'InitProducerId' }
  }

  /** Repeats the request while it may still succeed; otherwise throws the error of the last answer. */
  #retrying<T extends Answer>(activity: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const { clock, mayWrite } = this.#cluster.context
    const attempt = async (): Promise<T> => {
      const pauses = new BackOff(CONCURRENT_PAUSES)
      const lateMs = clock.now() + CONCURRENT_LATE_MS
      for (;;) {
        // The look-up may take long: it comes before the look at the lease.
        this.#nodeId ??= await this.#find()
        while (!mayWrite()) await clock.sleep(WRITE_CHECK_MS, signal)
        const answer = await work()
        const isConcurrent = answer.errorCode === ErrorCode.CONCURRENT_TRANSACTIONS && clock.now() < lateMs
        if (!isConcurrent) {
          this.#check(answer)
          return answer
        }
        await clock.sleep(pauses.next(), signal)
      }
    }
    return this.#cluster.retrying(`${activity} ${this.#options.transactionalId}`, attempt, signal)
  }

  #check({ errorCode, request, subject }: Answer): void {
    const { transactionalId: id, transactionTimeoutMs: timeoutMs } = this.#options
    if (COORDINATOR_CHANGES.includes(errorCode)) this.#nodeId = null
    if (isFenced(errorCode)) throw kafkaErrors.PRODUCER_FENCED({ id, error: errorName(errorCode) })
    if (errorCode === ErrorCode.INVALID_TRANSACTION_TIMEOUT) {
      throw kafkaErrors.TRANSACTION_TIMEOUT_INVALID({ id, timeoutMs })
    }
    checkResponse({ request, subject: subject ?? `transactional id ${id}`, errorCode })
  }

  async #request<Arguments extends unknown[], Response>(
    api: API<Arguments, Response>,
    ...parameters: Arguments
  ): Promise<Response> {
    try {
      this.#nodeId ??= await this.#find()
      return await this.#cluster.request(this.#nodeId, api, ...parameters)
    } catch (error) {
      // Another broker may coordinate the id by now.
      if (isRetriable(error)) this.#nodeId = null
      throw error
    }
  }

  async #find(): Promise<number> {
    const { transactionalId } = this.#options
    const subject = `transactional id ${transactionalId}`
    const { coordinators } = await this.#cluster.request('any', findCoordinatorV4.api, TRANSACTION_KEY, [
      transactionalId,
    ])
    const { errorCode, errorMessage, nodeId, host, port } = present(coordinators[0], `the coordinator of ${subject}`)
    checkResponse({ request: 'FindCoordinator', subject, errorCode, reason: errorMessage })
    this.#cluster.pool.setAddresses(new Map([[nodeId, { host, port }]]))
    return nodeId
  }
}

interface Answer {
  readonly errorCode: number
  /** The name of the request. */
  readonly request: string
  /** Default: the transactional id. */
  readonly subject?: string | undefined
}

interface InitAnswer extends Answer {
  readonly producerId: bigint
  readonly producerEpoch: number
}

const OPERATION_NOT_ATTEMPTED = 55

/** The broker is no longer the coordinator of the id, or not yet. */
const COORDINATOR_CHANGES: readonly number[] = [
  ErrorCode.NOT_COORDINATOR,
  ErrorCode.COORDINATOR_NOT_AVAILABLE,
  ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
]

function named({ producerId, epoch }: ProducerState): { readonly producerId: bigint; readonly producerEpoch: number } {
  return { producerId, producerEpoch: epoch }
}

function byTopic(partitions: readonly TransactionPartition[]): { name: string; partitions: number[] }[] {
  const topics = new Map<string, number[]>()
  for (const { topic, partition } of partitions) {
    const known = topics.get(topic)
    if (known === undefined) topics.set(topic, [partition])
    else known.push(partition)
  }
  return Array.from(topics, ([name, each]) => ({ name, partitions: each }))
}
