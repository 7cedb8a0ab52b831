import assert from 'node:assert/strict'
import type { LogRecord, TopicReader } from '@tributary/kafka'
import { present } from '@tributary/support'
import { eventually, kafkaClient } from '@tributary/testkit'
import { SCHEMA } from './writer.ts'

/** The fields of a record that the test needs. */
interface Value {
  readonly after: { readonly id: number; readonly n: number } | null
}

/**
 * What the topic has: of each key, which transactions (`n` counts them from 1). A restart repeats records, from one on
 * and in their order; nothing else may come out of order, and none may be missing.
 */
export class ReceivedRows implements AsyncDisposable {
  records = 0
  repeated = 0
  readonly #reader: TopicReader
  /** The greatest `n` of each key, all before it having arrived; and the last one. */
  readonly #rows = new Map<number, { highest: number; last: number }>()
  readonly #problems: string[] = []

  private constructor(reader: TopicReader) {
    this.#reader = reader
  }

  static async open(servers: readonly string[]): Promise<ReceivedRows> {
    const kafka = await kafkaClient(servers)
    const topic = `${SCHEMA}.${SCHEMA}.t`
    await using admin = kafka.admin()
    await eventually(`${topic} exists`, async () => (await admin.describeTopic(topic)) !== null)
    return new ReceivedRows(await kafka.reader({ topic, from: 'earliest' }))
  }

  /** Reads until the last transaction of each key has arrived. */
  async readUntil(counts: ReadonlyMap<number, number>, timeoutMs = 60_000): Promise<void> {
    await eventually(
      'the last transaction of each key has arrived',
      async () => {
        await this.#reader.readToEnd((record) => this.#take(record))
        assert.deepEqual(this.#problems.slice(0, 10), [])
        const missing = [...counts].filter(([key, count]) => (this.#rows.get(key)?.highest ?? 0) < count)
        if (missing.length === 0) return true
        const [key, count] = present(missing[0], 'a key')
        return assert.fail(
          `${missing.length} keys lack transactions, such as ${key}: ${this.#rows.get(key)?.highest} of ${count}`,
        )
      },
      { timeoutMs, everyMs: 500 },
    )
  }

  #take({ value }: LogRecord): void {
    const { after } = JSON.parse(present(value, 'a value').toString()) as Value
    const { id, n } = present(after, 'a row')
    this.records += 1
    const row = this.#rows.get(id) ?? { highest: 0, last: 0 }
    this.#rows.set(id, row)
    if (n <= row.highest) this.repeated += 1
    // A step forward is one: more would be lost transactions. Steps back are repetitions.
    if (n > row.last + 1) this.#problems.push(`key ${id}: ${n} after ${row.last}`)
    row.highest = Math.max(row.highest, n)
    row.last = n
  }

  /** The last record of each key is the row that the server has. */
  async requireSame(rows: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
    const last = [...this.#rows].map(([id, row]) => ({ id, n: row.last })).toSorted((a, b) => a.id - b.id)
    assert.deepEqual(
      last,
      rows.map((row) => ({ id: Number(row['id']), n: Number(row['n']) })),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.close()
  }
}
