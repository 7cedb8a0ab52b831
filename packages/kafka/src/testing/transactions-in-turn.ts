import type { RawPartition } from './raw-partition.ts'
import { RawTransaction } from './raw-transaction.ts'

/** What a reader of committed records sees of `writeTransactions`. */
export const COMMITTED_VALUES: readonly string[] = Array.from({ length: 80 }, (_, i) => `committed ${i}`)

/**
 * Writes to a partition in transactions of two producers, in turn: four are aborted, 160 records, and four committed, 80
 * records. Returns a fifth of the second producer, which is open and has 20 records.
 */
export async function writeTransactions(raw: RawPartition, topic: string): Promise<RawTransaction> {
  const aborting = await RawTransaction.init(raw, `${topic}.aborting`)
  const committing = await RawTransaction.init(raw, `${topic}.committing`)
  const write = (transaction: RawTransaction, from: number, word: string): Promise<void> =>
    transaction.write(
      raw,
      topic,
      Array.from({ length: 20 }, (_, i) => `${word} ${from + i}`),
    )
  for (let round = 0; round < 4; round++) {
    await write(aborting, round * 40, 'aborted')
    await write(committing, round * 20, 'committed')
    await write(aborting, round * 40 + 20, 'aborted')
    await aborting.end(false)
    await committing.end(true)
  }
  await write(committing, 80, 'open')
  return committing
}
