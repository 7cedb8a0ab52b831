import type { Kafka, LogRecord } from '@tributary/kafka'

/**
 * The offsets from which a topic has to be read so that no record is missed that the condition does not hold for. Looks
 * at single records, in growing steps from the end.
 *
 * @param isEarly whether a record, and so all before it in its partition, are not needed
 */
export async function startOffsets(
  { kafka, topic, isEarly }: { readonly kafka: Kafka; readonly topic: string; readonly isEarly: IsEarly },
  signal: AbortSignal,
): Promise<ReadonlyMap<number, bigint>> {
  await using reader = await kafka.reader({ topic, from: 'earliest' }, signal)
  const ends = await reader.endOffsets(signal)
  const starts = new Map<number, bigint>()
  for (const partition of reader.partitions) {
    const [begin, end] = [reader.position(partition), ends.get(partition) ?? 0n]
    starts.set(partition, await startOf({ kafka, topic, partition, begin, end, isEarly }, signal))
  }
  return starts
}

export type IsEarly = (record: LogRecord) => Promise<boolean>

interface Search {
  readonly kafka: Kafka
  readonly topic: string
  readonly partition: number
  readonly begin: bigint
  readonly end: bigint
  readonly isEarly: IsEarly
}

async function startOf({ begin, end, isEarly, ...search }: Search, signal: AbortSignal): Promise<bigint> {
  for (let step = FIRST_STEP; ; step *= STEP_FACTOR) {
    const from = end - step
    if (from <= begin) return begin
    const record = await recordAt({ ...search, from, end }, signal)
    // Between the two there may be nothing but marks of transactions.
    if (record !== null && (await isEarly(record))) return from - REPEATED > begin ? from - REPEATED : begin
  }
}

/** Records before the offset that it may repeat: those of an unfinished statement or transaction. */
const REPEATED = 200n
const FIRST_STEP = 200n
const STEP_FACTOR = 8n

/** The first record from an offset to the end; null: there is none. */
async function recordAt(
  { kafka, topic, partition, from, end }: Omit<Search, 'begin' | 'isEarly'> & { readonly from: bigint },
  signal: AbortSignal,
): Promise<LogRecord | null> {
  const options = { topic, partitions: [partition], from: new Map([[partition, from]]), fetchBytesMax: FETCH_BYTES }
  await using reader = await kafka.reader(options, signal)
  // A poll of a busy broker may return nothing although there are records.
  while (reader.position(partition) < end) {
    const [record] = await reader.poll(signal)
    if (record !== undefined) return record
  }
  return null
}

const FETCH_BYTES = 16 * 1024
