/** A row by column name, its values as text. The columns are in the order of the table. */
export type Row = Readonly<Record<string, string>>

/** The change of a row. `INSERT` has no `before`, `DELETE` no `after`. */
export interface RowImage {
  readonly verb: 'INSERT' | 'UPDATE' | 'DELETE'
  readonly table: string
  readonly before: Row | null
  readonly after: Row | null
  /** Columns of the primary key at that moment; none: the table has no primary key. */
  readonly key: readonly string[]
  /** True: the session wrote it with another `binlog_row_image` than FULL, so the binlog may lack columns. */
  readonly isPartial: boolean
}

/** The changes of one statement. Their order within it is that of the binlog once `reconcile` has compared them. */
export interface StatementChanges {
  images: readonly RowImage[]
}

/** A data change event. */
export interface ChangeEvent {
  readonly table: string
  readonly op: string
  readonly before: Row | null
  readonly after: Row | null
}

/** An event that a change demands. */
export interface ExpectedEvent extends ChangeEvent {
  readonly isPartial: boolean
  /** Columns of the key; none: there is no key. */
  readonly key: readonly string[]
}

/** The events of a change: a row whose key changes is deleted and created. */
export function eventsOf({ verb, table, before, after, key, isPartial }: RowImage): readonly ExpectedEvent[] {
  if (verb === 'INSERT') return [{ table, op: 'c', before, after, isPartial, key }]
  if (verb === 'DELETE') return [{ table, op: 'd', before, after, isPartial, key }]
  if (key.every((name) => before?.[name] === after?.[name])) return [{ table, op: 'u', before, after, isPartial, key }]
  return [
    { table, op: 'd', before, after: null, isPartial, key },
    { table, op: 'c', before: null, after, isPartial, key },
  ]
}

/** Equal for two events exactly when everything in them is equal. The order of columns counts. */
export function eventText({ table, op, before, after }: ChangeEvent): string {
  return `${op} ${table} ${JSON.stringify(before)} ${JSON.stringify(after)}`
}

export interface TableState {
  readonly table: string
  readonly rows: readonly Row[]
  readonly key: readonly string[]
}

/** The changes of one statement, by the rows of a table before and after it, both ordered by id. */
export function imagesBetween(before: TableState, after: readonly Row[], isPartial = false): readonly RowImage[] {
  const { table, rows, key } = before
  const image = (verb: RowImage['verb'], from: Row | null, to: Row | null): RowImage => ({
    verb,
    table,
    before: from,
    after: to,
    key,
    isPartial,
  })
  const [old, now] = [byId(rows), byId(after)]
  if (old.size < rows.length || now.size < after.length)
    return [
      ...without(rows, after).map((row) => image('DELETE', row, null)),
      ...without(after, rows).map((row) => image('INSERT', null, row)),
    ]
  const removed = rows.filter(({ id }) => !now.has(String(id)))
  const added = after.filter(({ id }) => !old.has(String(id)))
  // A statement that removes rows and adds as many has changed their ids.
  const isMoved = removed.length > 0 && removed.length === added.length
  const moved = isMoved ? removed.map((row, i) => image('UPDATE', row, movedTo(row, added) ?? added[i] ?? null)) : []
  const changed = after.flatMap((row): readonly RowImage[] => {
    const was = old.get(String(row['id']))
    const isChanged = was !== undefined && JSON.stringify(was) !== JSON.stringify(row)
    return isChanged ? [image('UPDATE', was, row)] : []
  })
  if (isMoved) return [...moved, ...changed]
  return [
    ...removed.map((row) => image('DELETE', row, null)),
    ...changed,
    ...added.map((row) => image('INSERT', null, row)),
  ]
}

/** After `SET id = -id`. */
function movedTo(row: Row, added: readonly Row[]): Row | undefined {
  return added.find(({ id }) => Number(id) === -Number(row['id']))
}

function byId(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [String(row['id']), row]))
}

/** Several rows have one id: which of them a statement has changed is shown only by the binlog. */
function without(rows: readonly Row[], others: readonly Row[]): readonly Row[] {
  const left = others.map((row) => JSON.stringify(row))
  return rows.filter((row) => {
    const at = left.indexOf(JSON.stringify(row))
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}
