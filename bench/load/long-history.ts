import { kafkaClient, readTopic } from '@tributary/testkit'

export interface LongHistoryPlan {
  readonly bootstrapServers: readonly string[]
  /** The topic of a schema history that has the snapshot of the tables `t0`, `t1`, …, and nothing else. */
  readonly topic: string
  readonly tables: number
  readonly statements: number
}

/** A history record, as far as it is looked into. */
interface RecordDocument {
  readonly tableChanges: readonly TableChange[]
  readonly databaseName?: string
}

interface TableChange {
  readonly type: string
  readonly table?: { readonly columns: readonly ColumnDocument[] }
}

interface ColumnDocument {
  readonly name: string
  readonly position: number
}

/**
 * Appends the records of statements that were never run: each table gets a column and loses it again, in turns. They
 * have the form, the members and the position of the records of the snapshot. An even number for each table leaves the
 * definitions as they were.
 */
export async function appendLongHistory({
  bootstrapServers,
  topic,
  tables,
  statements,
}: LongHistoryPlan): Promise<void> {
  const created = new Map<string, RecordDocument>()
  for (const { value } of await readTopic(bootstrapServers, topic)) {
    const record = JSON.parse(value?.toString() ?? '{}') as RecordDocument & { readonly ddl?: string }
    const [, name] = /^CREATE TABLE `(t\d+)`/.exec(record.ddl ?? '') ?? []
    if (name !== undefined) created.set(name, record)
  }
  await using producer = await (
    await kafkaClient(bootstrapServers)
  ).producer({
    onDelivered: () => undefined,
    compression: 'none',
  })
  const target = await producer.topic(topic)
  for (let number = 0; number < statements; number++) {
    const table = `t${number % tables}`
    const round = Math.floor(number / tables)
    const record = created.get(table)
    if (record === undefined) throw new Error(`the history has no table ${table}`)
    const buffer = Buffer.from(JSON.stringify(alteredRecord(record, table, round), null, 2))
    const value = { prefix: NO_PREFIX, buffer, start: 0, end: buffer.length }
    target.send({ key: null, value, headers: [], partition: 0, timestamp: null, token: number })
    if (producer.isFull) await producer.ready()
  }
  await producer.flush()
}

const NO_PREFIX = new Uint8Array(0)

/** Even rounds add the column, odd ones drop it. */
function alteredRecord(record: RecordDocument, table: string, round: number): object {
  const column = `added${round - (round % 2)}`
  const isAdding = round % 2 === 0
  const ddl = isAdding ? `ALTER TABLE ${table} ADD COLUMN ${column} INT` : `ALTER TABLE ${table} DROP COLUMN ${column}`
  const tableChanges = record.tableChanges.map((change) => {
    const columns = change.table?.columns ?? []
    return {
      ...change,
      type: 'ALTER',
      table: { ...change.table, columns: isAdding ? [...columns, addedColumn(column, columns.length + 1)] : columns },
    }
  })
  return { ...record, ddl, tableChanges }
}

/** As Debezium 3.6 writes an `INT`. */
function addedColumn(name: string, position: number): object {
  return {
    name,
    jdbcType: 4,
    typeName: 'INT',
    typeExpression: 'INT',
    charsetName: null,
    position,
    optional: true,
    autoIncremented: false,
    generated: false,
    comment: null,
    hasDefaultValue: true,
    enumValues: [],
  }
}
