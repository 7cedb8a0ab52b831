import { toError } from '@tributary/support'
import { kafkaErrors } from '../api/errors.ts'
import type { LogRecord } from '../api/records.ts'
import { readBatches, readRecords, type ReceivedBatch } from '../protocol/batch-reader.ts'
import type { FetchedPartition } from '../protocol/fetch.ts'
import { CONTROL, TRANSACTIONAL } from '../protocol/record-batch.ts'

export interface FetchedRecords {
  readonly records: readonly LogRecord[]
  /** The offset after the last batch, including skipped ones: the start of the next fetch. */
  readonly nextOffset: bigint
}

/**
 * The records of a fetched partition from `offset` on. A broker returns whole batches, so the first may start before
 * it. With `isCommittedOnly` the response lists the aborted transactions, whose records this skips. Batches that follow
 * very many records are left for the next fetch. Throws CORRUPT_RECORDS.
 */
export function selectRecords(
  topic: string,
  fetched: FetchedPartition,
  offset: bigint,
  isCommittedOnly: boolean,
): FetchedRecords {
  const { partition } = fetched
  const records: LogRecord[] = []
  let nextOffset = offset
  try {
    const filter = isCommittedOnly ? new AbortedFilter(fetched.abortedTransactions) : null
    for (const batch of readBatches(fetched.records)) {
      if (records.length >= RECORDS_ENOUGH) break
      if (batch.lastOffset >= nextOffset) nextOffset = batch.lastOffset + 1n
      const isAborted = filter?.isAborted(batch) ?? false
      if (isAborted || batch.attributes & CONTROL) continue
      for (const { offsetDelta, timestamp, key, value, headers } of readRecords(batch)) {
        const at = batch.baseOffset + BigInt(offsetDelta)
        if (at >= offset) records.push({ topic, partition, offset: at, timestamp, key, value, headers })
      }
    }
  } catch (thrown) {
    const where = `${topic}-${partition} from offset ${nextOffset}`
    throw kafkaErrors.CORRUPT_RECORDS({ where, reason: toError(thrown).message }, thrown)
  }
  return { records, nextOffset }
}

/** A response of 1 MiB can contain compressed batches with millions of records. */
const RECORDS_ENOUGH = 100_000

/**
 * Finds the batches of aborted transactions: those of the producer from the listed first offset up to the producer's
 * next abort marker.
 */
class AbortedFilter {
  /** By ascending first offset. Those from `#next` on start after the batches seen so far. */
  readonly #transactions: FetchedPartition['abortedTransactions']
  readonly #producers = new Set<bigint>()
  #next = 0

  constructor(transactions: FetchedPartition['abortedTransactions']) {
    this.#transactions = transactions.toSorted((a, b) => Number(a.firstOffset - b.firstOffset))
  }

  /** Must be called once for each batch, in order. */
  isAborted(batch: ReceivedBatch): boolean {
    for (;;) {
      const transaction = this.#transactions[this.#next]
      if (transaction === undefined || transaction.firstOffset > batch.lastOffset) break
      this.#producers.add(transaction.producerId)
      this.#next += 1
    }
    if (batch.attributes & CONTROL) {
      if (isAbortMarker(batch)) this.#producers.delete(batch.producerId)
      return false
    }
    return (batch.attributes & TRANSACTIONAL) !== 0 && this.#producers.has(batch.producerId)
  }
}

/*
 * Key of a control record: version INT16, type INT16 (0 abort, 1 commit).
 */
function isAbortMarker(batch: ReceivedBatch): boolean {
  const [marker] = readRecords(batch)
  return marker?.key?.readInt16BE(2) === 0
}
