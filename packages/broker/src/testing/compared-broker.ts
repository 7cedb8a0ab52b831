import { systemClock } from '@tributary/support'
import { readBatches, readRecords } from '@tributary/kafka'
import { ErrorCode } from '../protocol/error-code.ts'
import { readBatchHeader } from '../batch/batch-header.ts'
import type { ApiName, SentRequest } from '../protocol/message-types.ts'
import type { RawClient } from './raw-client.ts'

/** A producer of a sequence: the ids that brokers choose differ. */
export interface ProducerSlot {
  producerId: bigint
  epoch: number
  transactionalId: string | null
  /** Partition (`topic/partition`) → next sequence number. */
  readonly sequences: Map<string, number>
}

export interface MemberSlot {
  memberId: string
  generationId: number
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

/** Fields that differ between brokers by their nature. */
const IGNORED: ReadonlySet<string> = new Set(
  `throttleTimeMs errorMessage batchIndexErrorMessage recordErrors topicId clusterId
  host port clientHost lastTimestamp coordinatorEpoch transactionStartTimeMs
  partitionSize sessionId clientId controllerId nodeEndpoints leaderEpoch
  logAppendTimeMs preferredReadReplica partitionLeaderEpoch logStartOffset`.split(/\s+/),
)

/**
 * A transaction is being ended, or a coordinator of Kafka is not ready: on a busy machine also that of transactions, when
 * that of groups asks it.
 */
const RETRIABLE = new RegExp(`rrorCode":(${ErrorCode.CONCURRENT_TRANSACTIONS}|14|15|16)\\b`)
const RETRY_MS = 5
/** A transaction that does not end is an outcome. */
const ATTEMPTS = 200

/** One of the two brokers that get the same requests. */
export class ComparedBroker {
  readonly client: RawClient
  readonly producers: Map<number, ProducerSlot> = new Map()
  readonly members: Map<number, MemberSlot> = new Map()

  constructor(client: RawClient) {
    this.client = client
  }

  /** Sends a request, again while the broker asks to retry, and returns what can be compared of the answer. */
  async send<Name extends ApiName>(name: Name, version: number, request: SentRequest<Name>): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.client.send(name, version, request)
      const isBusy = RETRIABLE.test(JSON.stringify(answer, textOf))
      if (!isBusy || attempt === ATTEMPTS) {
        return this.comparable(answer)
      }
      await systemClock.sleep(RETRY_MS)
    }
  }

  comparable(value: unknown): unknown {
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'string') {
      for (const [slot, { memberId }] of this.members)
        if (memberId !== '' && memberId === value) return `member ${slot}`
      return value.replace(UUID, 'a UUID')
    }
    if (Buffer.isBuffer(value)) return value.toString('latin1')
    if (Array.isArray(value)) return value.map((each) => this.comparable(each))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).filter(([name]) => !IGNORED.has(name))
    return Object.fromEntries(
      entries.map(([name, each]) => [name, name === 'producerId' ? this.#producer(each) : this.comparable(each)]),
    )
  }

  #producer(producerId: unknown): unknown {
    // 0 is the default of a field without a value; no sequence uses it as an id.
    if (producerId === -1n || producerId === 0n) return Number(producerId)
    for (const [slot, each] of this.producers) if (each.producerId === producerId) return `producer ${slot}`
    return 'a producer'
  }

  /** The batches of a fetch: offsets, producers and values. */
  batches(records: Buffer | null): unknown {
    return readBatches(records ?? Buffer.alloc(0)).map((batch) => {
      const header = readBatchHeader(batch.bytes)
      const values = readRecords(batch).map(({ key, value }) => [
        // The epoch of the coordinator is in the value of a marker.
        key?.toString('latin1') ?? null,
        header.attributes & 0b100000 ? null : (value?.toString('latin1') ?? null),
      ])
      const { baseOffset, lastOffset, attributes, epoch, baseSequence, recordCount } = header
      const producer = this.#producer(header.producerId)
      return { baseOffset, lastOffset, attributes, epoch, baseSequence, recordCount, producer, values }
    })
  }
}

function textOf(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : Buffer.isBuffer(value) ? '' : value
}
