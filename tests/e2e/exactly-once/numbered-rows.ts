import { idOf, kafkaClient, runKafkaTool, useMySql } from '@tributary/testkit'
import assert from 'node:assert/strict'

/** A table in a database of its own whose rows are numbered in the order of their inserts. */
export class NumberedRows {
  readonly schema: string
  readonly topic: string
  #last = 0

  private constructor(schema: string) {
    this.schema = schema
    this.topic = `${schema}.${schema}.t`
  }

  static async create(schema: string): Promise<NumberedRows> {
    const database = await useMySql()
    await database.query(`CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (id INT PRIMARY KEY, note VARCHAR(200))`)
    return new NumberedRows(schema)
  }

  get last(): number {
    return this.#last
  }

  /** Inserts rows in one transaction. */
  async insert(count: number): Promise<void> {
    const database = await useMySql()
    const [from, to] = [this.#last + 1, this.#last + count]
    this.#last = to
    await database.query(`
      SET SESSION cte_max_recursion_depth = ${count + 1};
      INSERT INTO ${this.schema}.t (id, note) WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
        SELECT i, REPEAT('x', 100) FROM n`)
  }

  /** Changes the definition of the table. */
  async alter(clause: string): Promise<void> {
    const database = await useMySql()
    await database.query(`ALTER TABLE ${this.schema}.t ${clause}`)
  }

  /** One transaction per row. */
  async insertSingly(count: number): Promise<void> {
    const database = await useMySql()
    const statements = Array.from(
      { length: count },
      () => `INSERT INTO ${this.schema}.t (id, note) VALUES (${++this.#last}, '')`,
    )
    await database.query(statements.join(';'))
  }
}

/** Each list has the first rows only: the difference of two lists of a million would need all memory. */
export interface Seen {
  /** Rows without an event. */
  readonly missing: readonly number[]
  /** Rows with more than one. */
  readonly repeated: readonly number[]
  /** Rows whose event follows that of a later row in the same partition. */
  readonly misplaced: readonly number[]
}

/** What a consumer that reads only committed records sees of the first rows. */
export async function seenBy(bootstrapServers: readonly string[], topic: string, rows: number): Promise<Seen> {
  await using reader = await (
    await kafkaClient(bootstrapServers)
  ).reader({ topic, isolation: 'committed', end: 'written' })
  const audit = new RowAudit(rows)
  await reader.readToEnd((record) => audit.add(idOf(record), record.partition))
  return audit.result()
}

/** What Kafka's own console consumer sees, which shares no code with Tributary. It ends when nothing more arrives. */
export async function seenByJava(bootstrapServers: readonly string[], topic: string, rows: number): Promise<Seen> {
  const source = ['--bootstrap-server', bootstrapServers.join(), '--topic', topic, '--from-beginning']
  // The key alone: the values of a million events are more than a string can have.
  const printed = ['print.partition=true', 'print.key=true', 'print.value=false']
  const form = printed.flatMap((property) => ['--formatter-property', property])
  const committed = ['--isolation-level', 'read_committed', '--timeout-ms', '60000']
  const consumer = 'org.apache.kafka.tools.consumer.ConsoleConsumer'
  const { stdout } = await runKafkaTool(consumer, [...source, ...committed, ...form])
  const audit = new RowAudit(rows)
  for (const [, partition, id] of stdout.matchAll(/^Partition:(\d+)\t.*"payload":\{"id":(\d+)\}/gm)) {
    audit.add(Number(id), Number(partition))
  }
  return audit.result()
}

class RowAudit {
  readonly #counts: Uint8Array
  readonly #last = new Map<number, number>()
  readonly #misplaced: number[] = []

  constructor(rows: number) {
    this.#counts = new Uint8Array(rows + 1)
  }

  add(id: number, partition: number): void {
    assert.ok(id >= 1 && id < this.#counts.length, `row ${id}`)
    this.#counts[id] = (this.#counts[id] ?? 0) + 1
    if (id <= (this.#last.get(partition) ?? 0)) this.#misplaced.push(id)
    this.#last.set(partition, id)
  }

  result(): Seen {
    const idsWith = (isWrong: (count: number) => boolean): readonly number[] => {
      const ids: number[] = []
      for (let id = 1; id < this.#counts.length && ids.length < LISTED_MAX; id++) {
        if (isWrong(this.#counts[id] ?? 0)) ids.push(id)
      }
      return ids
    }
    return {
      missing: idsWith((count) => count === 0),
      repeated: idsWith((count) => count > 1),
      misplaced: this.#misplaced.slice(0, LISTED_MAX),
    }
  }
}

const LISTED_MAX = 1_000

export const NOTHING_WRONG: Seen = { missing: [], repeated: [], misplaced: [] }
