import type { LogRecord } from '@tributary/kafka'
import { kafkaClient } from '@tributary/testkit'
import type { ExpectedRecords } from '../load/expected-records.ts'
import { numberAfter } from './document-numbers.ts'
import { readsJson, type RecordReader } from './record-reader.ts'

/**
 * Reads a topic of JSON records, with or without schemas, or of records that `read` converts to JSON, and checks them:
 * the number of records of each operation, the key of each row, the ascending order of `seq`, in which the load wrote
 * the rows, and that each row's state before a change is the one after its previous change. Throws at the first error,
 * because figures of incorrect output are worthless.
 */
export async function verifyTopic(
  bootstrapServers: readonly string[],
  topic: string,
  expected: ExpectedRecords,
  read: RecordReader = readsJson,
): Promise<void> {
  const kafka = await kafkaClient(bootstrapServers)
  await using reader = await kafka.reader({ topic, from: 'earliest' })
  const check = new TopicCheck(topic)
  if (read === readsJson) await reader.readToEnd((record) => check.add(record))
  else {
    // All records at once: without schemas, a million records are 150 MB.
    const records: LogRecord[] = []
    await reader.readToEnd((record) => records.push(record))
    for (const record of await read(records)) check.add(record)
  }
  check.finish(expected)
}

/** Checks records one by one, in the order of the topic's partition. */
export class TopicCheck {
  readonly #topic: string
  readonly #counts = new Map<string, number>()
  /** The `seq` of each row after its last change. */
  readonly #states = new Map<number, number>()
  #lastSeq = -1

  constructor(topic: string) {
    this.#topic = topic
  }

  /** Throws when the record cannot follow the previous ones. */
  add({ key, value, offset }: Pick<LogRecord, 'key' | 'value' | 'offset'>): void {
    const id = key === null ? NaN : numberAfter(key, ID)
    if (value === null || value.equals(NULL) || value.includes(NO_PAYLOAD)) {
      this.#count('tombstone')
      return
    }
    const place = value.lastIndexOf(OP)
    if (place < 0) {
      this.#count('message')
      return
    }
    const op = String.fromCharCode(value[place + OP.length] ?? 0)
    this.#count(op)
    const seq = numberAfter(value, SEQ)
    if (numberAfter(value, ID) !== id) throw this.#error(offset, `the key ${id} is not that of its row`)
    // An unwrapped record has no state before the change.
    if ((op === 'u' || op === 'd') && value.includes(BEFORE)) this.#checkBefore(value, id, offset)
    if (op === 'd') {
      this.#states.delete(id)
      return
    }
    if (seq <= this.#lastSeq) throw this.#error(offset, `seq ${seq} follows ${this.#lastSeq}`)
    this.#lastSeq = seq
    this.#states.set(id, seq)
  }

  #checkBefore(value: Buffer, id: number, offset: bigint): void {
    const state = this.#states.get(id)
    const before = numberAfter(value, SEQ, value.indexOf(BEFORE))
    // An unknown state is the first change of an older row.
    if (state === undefined || state === before) return
    throw this.#error(offset, `row ${id} had seq ${before} before the change, and ${state} after the last one`)
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }

  #error(offset: bigint, what: string): Error {
    return new Error(`record ${offset} of ${this.#topic}: ${what}`)
  }

  /** Throws when the numbers of records differ from the expected ones. */
  finish(expected: ExpectedRecords): void {
    const text = (counts: Iterable<readonly [string, number]>): string =>
      Array.from(counts, ([what, count]) => `${count} ${what}`)
        .toSorted()
        .join(', ')
    const [has, wanted] = [text(this.#counts), text(Object.entries(expected))]
    if (has !== wanted) throw new Error(`${this.#topic} contains ${has}; expected ${wanted}`)
  }
}

const ID = Buffer.from('"id":')
const SEQ = Buffer.from('"seq":')
const OP = Buffer.from('"op":"')
/** Occurs only in payloads, because schemas contain the name as a value of `field`. */
const BEFORE = Buffer.from('"before":')
/** What the JSON converter without schemas writes for a missing value with a schema. */
const NULL = Buffer.from('null')
const NO_PAYLOAD = Buffer.from('"payload":null')
