/**
 * Names a table by its database and its name. There is one object per table while anybody holds it, so that identity is
 * equality and a Map or Set takes it as its key.
 */
export class TableId {
  readonly database: string
  readonly table: string

  private constructor(database: string, table: string) {
    this.database = database
    this.table = table
  }

  static of(database: string, table: string): TableId {
    // No name contains a zero byte.
    const key = `${database}\0${table}`
    const known = interned.get(key)?.deref()
    if (known !== undefined) return known
    const id = new TableId(database, table)
    interned.set(key, new WeakRef(id))
    forgotten.register(id, key)
    return id
  }

  /**
   * Reads the form of history records, `"db"."table"`; also the old form without quotes. A third part before the two, as
   * connectors of other databases write it, is left out.
   */
  static parse(text: string): TableId {
    const parts = splitName(text)
    return TableId.of(parts.at(-2) ?? '', parts.at(-1) ?? '')
  }

  /** `db.table`, as topic names, filters and messages have it; not unique when names contain dots. */
  toString(): string {
    return `${this.database}.${this.table}`
  }

  /** `"db"."table"`, as history and schema change records have it. */
  toQuotedString(): string {
    return `${quote(this.database)}.${quote(this.table)}`
  }

  /** The same table of a server that keeps names in lower case. */
  toLowerCase(): TableId {
    const database = this.database.toLowerCase()
    const table = this.table.toLowerCase()
    return database === this.database && table === this.table ? this : TableId.of(database, table)
  }
}

/** Ids in use. Entries go away with the last holder: an online schema change makes a new name at each run. */
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
