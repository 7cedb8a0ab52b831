/** A row by column name, its values as text. The columns are in the order of the table. */
export type Row = Readonly<Record<string, string>>

/** The change of a row. `INSERT` has no `before`, `DELETE` no `after`. */
export interface RowImage {
  readonly verb: 'INSERT' | 'UPDATE' | 'DELETE'
  readonly table: string
  readonly before: Row | null
  readonly after: Row | null
}

/** A data change event. */
export interface ChangeEvent {
  readonly table: string
  readonly op: string
  readonly before: Row | null
  readonly after: Row | null
}

/** The events of a change: a row whose key changes is deleted and created. */
export function eventsOf({ verb, table, before, after }: RowImage): readonly ChangeEvent[] {
  if (verb === 'INSERT') return [{ table, op: 'c', before, after }]
  if (verb === 'DELETE') return [{ table, op: 'd', before, after }]
  if (before?.['id'] === after?.['id']) return [{ table, op: 'u', before, after }]
  return [
    { table, op: 'd', before, after: null },
    { table, op: 'c', before: null, after },
  ]
}

/** Equal for two events exactly when everything in them is equal. The order of columns counts. */
export function eventText({ table, op, before, after }: ChangeEvent): string {
  return `${op} ${table} ${JSON.stringify(before)} ${JSON.stringify(after)}`
}

/** The changes of one statement, by the rows of its table before and after it; both ordered by id. */
export function imagesBetween(table: string, before: readonly Row[], after: readonly Row[]): readonly RowImage[] {
  const [old, now] = [byId(before), byId(after)]
  const removed = before.filter(({ id }) => !now.has(String(id)))
  const added = after.filter(({ id }) => !old.has(String(id)))
  // Only a change of the key removes a row and adds one.
  const [from, to] = [removed[0], added[0]]
  if (from !== undefined && to !== undefined) return [{ verb: 'UPDATE', table, before: from, after: to }]
  const changed = after.flatMap((row): readonly RowImage[] => {
    const was = old.get(String(row['id']))
    const isChanged = was !== undefined && JSON.stringify(was) !== JSON.stringify(row)
    return isChanged ? [{ verb: 'UPDATE', table, before: was, after: row }] : []
  })
  return [
    ...removed.map((row): RowImage => ({ verb: 'DELETE', table, before: row, after: null })),
    ...changed,
    ...added.map((row): RowImage => ({ verb: 'INSERT', table, before: null, after: row })),
  ]
}

function byId(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [String(row['id']), row]))
}
