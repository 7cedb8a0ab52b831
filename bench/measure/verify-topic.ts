import type { LogRecord } from '@tributary/kafka'
import { kafkaClient } from '@tributary/testkit'
import type { ExpectedRecords } from '../load/expected-records.ts'
import { numberBehind } from './document-numbers.ts'
import { readsJson, type RecordReader } from './record-reader.ts'

/**
 * Reads a topic of JSON, with schemas or without, or of what `read` makes JSON of, and checks it: the number of records of each operation; each key that of its row; the rows
 * written in ascending `seq`, as the load made them; and each row's state before a change the one that the change before left.
 * Throws with what is wrong: figures of an output that is not right count nothing.
 */
export async function verifyTopic(
  bootstrapServers: readonly string[],
  topic: string,
  expected: ExpectedRecords,
  read: RecordReader = readsJson,
): Promise<void> {
  const kafka = kafkaClient(bootstrapServers)
  await using reader = await kafka.reader({ topic, from: 'earliest' })
  const check = new TopicCheck(topic)
  if (read === readsJson) await reader.readToEnd((record) => check.take(record))
  else {
    // Small ones: without schemas a million records are 150 MB.
    const records: LogRecord[] = []
    await reader.readToEnd((record) => records.push(record))
    for (const record of await read(records)) check.take(record)
  }
  check.end(expected)
}

/** The check, record by record in the order of the topic's partition. */
export class TopicCheck {
  readonly #topic: string
  readonly #counts = new Map<string, number>()
  /** `seq` that each row has after its last change. */
  readonly #states = new Map<number, number>()
  #lastSeq = -1

  constructor(topic: string) {
    this.#topic = topic
  }

  /** Throws when the record cannot follow those before it. */
  take({ key, value, offset }: Pick<LogRecord, 'key' | 'value' | 'offset'>): void {
    const id = key === null ? NaN : numberBehind(key, ID)
    if (value === null || value.includes(NO_PAYLOAD)) {
      this.#count('tombstone')
      return
    }
    const op = String.fromCharCode(value[value.lastIndexOf(OP) + OP.length] ?? 0)
    this.#count(op)
    const seq = numberBehind(value, SEQ)
    if (numberBehind(value, ID) !== id) throw this.#wrong(offset, `the key ${id} is not that of its row`)
    if (op === 'u' || op === 'd') this.#checkBefore(value, id, offset)
    if (op === 'd') {
      this.#states.delete(id)
      return
    }
    if (seq <= this.#lastSeq) throw this.#wrong(offset, `seq ${seq} comes after ${this.#lastSeq}`)
    this.#lastSeq = seq
    this.#states.set(id, seq)
  }

  #checkBefore(value: Buffer, id: number, offset: bigint): void {
    const state = this.#states.get(id)
    const before = numberBehind(value, SEQ, value.indexOf(BEFORE))
    // The first change of a row that was there before.
    if (state === undefined || state === before) return
    throw this.#wrong(offset, `row ${id} had seq ${before} before the change, and ${state} after the last one`)
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }

  #wrong(offset: bigint, what: string): Error {
    return new Error(`record ${offset} of ${this.#topic}: ${what}`)
  }

  /** Throws when there were more records, or fewer, than expected. */
  end(expected: ExpectedRecords): void {
    const text = (counts: Iterable<readonly [string, number]>): string =>
      Array.from(counts, ([what, count]) => `${count} ${what}`)
        .toSorted()
        .join(', ')
    const [has, wanted] = [text(this.#counts), text(Object.entries(expected))]
    if (has !== wanted) throw new Error(`${this.#topic} holds ${has}; expected are ${wanted}`)
  }
}

const ID = Buffer.from('"id":')
const SEQ = Buffer.from('"seq":')
const OP = Buffer.from('"op":"')
/** A schema has the name behind `field`, so that this stands in payloads only; without schemas there is no `payload`. */
const BEFORE = Buffer.from('"before":')
const NO_PAYLOAD = Buffer.from('"payload":null')
