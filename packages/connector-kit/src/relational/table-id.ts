/**
 * The name of a table: its database and its own name. While an id is in use there is one object for it, so that
 * identity is equality and the id can be the key of a Map or Set.
 */
export class TableId {
  readonly database: string
  readonly table: string

  private constructor(database: string, table: string) {
    this.database = database
    this.table = table
  }

  static of(database: string, table: string): TableId {
    // Names cannot contain a zero byte.
    const key = `${database}\0${table}`
    const known = interned.get(key)?.deref()
    if (known !== undefined) return known
    const id = new TableId(database, table)
    interned.set(key, new WeakRef(id))
    forgotten.register(id, key)
    return id
  }

  /**
   * Reads the form of history records, `"db"."table"`, also the old form without quotes. Connectors to some databases
   * write a third part before these two, which is ignored.
   */
  static parse(text: string): TableId {
    const parts = splitName(text)
    return TableId.of(parts.at(-2) ?? '', parts.at(-1) ?? '')
  }

  /** `db.table`, as in topic names, filters and messages; not unique when names contain dots. */
  toString(): string {
    return `${this.database}.${this.table}`
  }

  /** `"db"."table"`, as in history and schema change records. */
  toQuotedString(): string {
    return `${quote(this.database)}.${quote(this.table)}`
  }

  /** The id by which a database that ignores case knows the table. */
  toLowerCase(): TableId {
    const database = this.database.toLowerCase()
    const table = this.table.toLowerCase()
    return database === this.database && table === this.table ? this : TableId.of(database, table)
  }
}

/** Ids in use. An entry is removed with its id: an online schema change makes a new name at each run. */
const interned = new Map<string, WeakRef<TableId>>()
const forgotten = new FinalizationRegistry<string>((key) => {
  if (interned.get(key)?.deref() === undefined) interned.delete(key)
})

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function splitName(text: string): string[] {
  if (!text.startsWith('"')) return text.split('.')
  return [...text.matchAll(/"((?:[^"]|"")*)"/g)].map(([, inner = '']) => inner.replaceAll('""', '"'))
}
