import type { Column } from '@tributary/connector-kit'
import { type MySqlTable, type TableKey, columnNamed } from './mysql-table.ts'
import type { AlterAction, KeyDefinition, Period } from '@tributary/mysql'
import type { AlteredColumns } from './alter-columns.ts'
import { schemaErrors } from './errors.ts'
import { addKeys, isSameName, rowIdentity, sortKeys, withFittingPrefixes } from './table-keys.ts'

/** The keys after the actions of an ALTER TABLE, not yet in the server's order; null when the old ones are unknown. */
export function alterKeyList(
  table: MySqlTable,
  actions: readonly AlterAction[],
  altered: AlteredColumns,
): TableKey[] | null {
  const added = addedKeys(actions)
  // MariaDB: whether it has an effect depends on more than whether the column exists.
  if (actions.some((action) => action.tag === 'addKey' && action.isConditional))
    throw underivable(table, 'a key is an attribute of a column with a condition')
  const periods = alteredPeriods(table, actions, altered)
  for (const { parts } of added) {
    const isUnknown = parts.some(
      (part) => part.tag === 'period' && !periods.some(({ name }) => isSameName(name, part.period)),
    )
    if (isUnknown) throw underivable(table, 'the columns of a period in its key are not known')
  }
  if (table.keys === null) return null
  const kept = renamedKeys(withRenamedColumns(droppedKeys(table, table.keys, actions), actions, altered), actions)
  return addKeys(kept, added, periods)
}

/** Names, in lower case, of the columns that a primary key or a period makes NOT NULL. */
export function requiredColumns(
  keys: readonly TableKey[] | null,
  actions: readonly AlterAction[],
  periods: readonly Period[],
): ReadonlySet<string> {
  const primary = keys?.find(({ kind }) => kind === 'primary')?.columns ?? primaryColumns(addedKeys(actions)) ?? []
  const ofPeriods = periods.flatMap(({ start, end }) => [start, end])
  return new Set([...primary, ...ofPeriods].flatMap((name) => (name === null ? [] : [name.toLowerCase()])))
}

/** A table after its columns and keys were altered, before the primary key is applied to the columns. */
export interface AlteredTable extends Omit<AlteredColumns, 'defined'> {
  /** In the order of definition; null when unknown. */
  readonly keys: readonly TableKey[] | null
  /** The columns as declared, before the primary key makes some of them NOT NULL. */
  readonly declared: readonly Column[]
  readonly flavor: 'mysql' | 'mariadb'
}

/** The keys in the server's order and the columns that identify a row. */
export function alteredIdentity(
  table: MySqlTable,
  actions: readonly AlterAction[],
  { columns, declared, renames, keys, flavor }: AlteredTable,
): Pick<MySqlTable, 'keys' | 'primaryKeyColumnNames'> {
  if (keys === null) return { keys, primaryKeyColumnNames: identityOfUnknown(table, actions, { columns, renames }) }
  const fitting = withFittingPrefixes(keys, columns)
  // MariaDB sorts the keys only when one is added, even if columns become NOT NULL before that.
  const isSortedAgain = flavor === 'mysql' || addedKeys(actions).length > 0
  const sorted = isSortedAgain ? sortKeys(fitting, columns, declared) : fitting
  return { keys: sorted, primaryKeyColumnNames: rowIdentity(sorted, columns) }
}

function addedKeys(actions: readonly AlterAction[]): KeyDefinition[] {
  return actions.flatMap((action) => (action.tag === 'addKey' ? [action.key] : []))
}

/** The application-time periods after the actions. */
export function alteredPeriods(
  table: MySqlTable,
  actions: readonly AlterAction[],
  { renames }: Pick<AlteredColumns, 'renames'>,
): readonly Period[] {
  const dropped = actions.flatMap((action) => (action.tag === 'dropPeriod' ? [action.name] : []))
  const kept = table.periods.filter(({ name }) => !dropped.some((other) => isSameName(other, name)))
  const renamed = (name: string): string => renames.get(name.toLowerCase()) ?? name
  const added = actions.flatMap((action) => (action.tag === 'addPeriod' ? [action.period] : []))
  return [
    ...kept.map(({ name, start, end }) => ({ name, start: renamed(start), end: renamed(end) })),
    ...added.filter(({ name }) => !isSameName(name, 'SYSTEM_TIME')),
  ]
}

function primaryColumns(keys: readonly KeyDefinition[]): string[] | undefined {
  const primary = keys.find(({ kind }) => kind === 'primary')
  return primary?.parts.flatMap((part) => (part.tag === 'column' ? [part.column] : []))
}

function droppedKeys(table: MySqlTable, keys: readonly TableKey[], actions: readonly AlterAction[]): TableKey[] {
  const kept = [...keys]
  for (const action of actions) {
    if (action.tag !== 'dropKey' && action.tag !== 'dropPrimaryKey') continue
    const name = action.tag === 'dropKey' ? action.name : 'PRIMARY'
    const index = kept.findIndex((key) => isSameName(key.name, name))
    if (index >= 0) kept.splice(index, 1)
    // A constraint may be a CHECK or a foreign key, which the model does not contain.
    else if (action.tag === 'dropPrimaryKey' || !(action.isIfExists || action.isConstraint)) {
      throw underivable(table, `it has no key ${name}`)
    }
  }
  return kept
}

/** Renames columns in keys, removes dropped columns from keys, and removes keys without columns. */
function withRenamedColumns(
  keys: readonly TableKey[],
  actions: readonly AlterAction[],
  altered: AlteredColumns,
): TableKey[] {
  if (altered.renames.size === 0) return [...keys]
  return keys.flatMap((key) => {
    const parts = key.columns.flatMap((name, i) => {
      const prefixLength = key.prefixLengths[i] ?? null
      const renamed = name === null ? null : nameInKey(name, actions, altered)
      return name !== null && renamed === null ? [] : [{ name: renamed, prefixLength }]
    })
    const columns = parts.map(({ name }) => name)
    const prefixLengths = parts.map(({ prefixLength }) => prefixLength)
    return columns.length === 0 ? [] : [{ ...key, columns, prefixLengths }]
  })
}

/**
 * The column that a part of a key names after the statement; null when it is dropped. Both servers search the new columns
 * in their order for one that was called so before, or that is added under that name: `CHANGE a b INT, ADD a INT FIRST`
 * moves the key to the new column, and without FIRST it stays (sql_table.cc, mysql_prepare_alter_table; tried with MySQL
 * 9.7 and MariaDB 10.11).
 */
function nameInKey(
  name: string,
  actions: readonly AlterAction[],
  altered: Pick<AlteredColumns, 'columns' | 'renames'>,
): string | null {
  const renamed = renamedOrSame(name, altered)
  const isAdded = actions.some((action) => action.tag === 'addColumn' && isSameName(action.column.name, name))
  if (renamed === null || isSameName(renamed, name) || !isAdded) return renamed
  const indexOf = (column: string): number => altered.columns.findIndex((each) => isSameName(each.name, column))
  const added = indexOf(name)
  return added >= 0 && added < indexOf(renamed) ? name : renamed
}

function renamedKeys(keys: readonly TableKey[], actions: readonly AlterAction[]): TableKey[] {
  return keys.map((key) => {
    const rename = actions.find((action) => action.tag === 'renameKey' && isSameName(action.name, key.name))
    return rename?.tag === 'renameKey' ? { ...key, name: rename.to } : key
  })
}

/**
 * The columns that identify a row of a table whose keys are unknown, since it was read from a history record.
 *
 * @throws SCHEMA_UNDERIVABLE when the result depends on those keys
 */
function identityOfUnknown(
  table: MySqlTable,
  actions: readonly AlterAction[],
  altered: Omit<AlteredColumns, 'defined'>,
): string[] {
  const added = addedKeys(actions)
  const primary = primaryColumns(added)
  if (primary !== undefined) return canonicalNames(primary, altered.columns)
  const identity = table.primaryKeyColumnNames
  const isKeyDropped = actions.some(({ tag }) => tag === 'dropKey' || tag === 'dropPrimaryKey')
  if (isKeyDropped && identity.length > 0) throw underivable(table, 'a key is dropped and the others are not known')
  if (isNullabilityChanged(table, altered))
    throw underivable(table, 'NULL is allowed or forbidden and its keys are not known')
  const renamed = identity.map((name) => nameInKey(name, actions, altered))
  if (renamed.includes(null)) throw underivable(table, 'a column of its key is dropped')
  const names = renamed.filter((name) => name !== null)
  return names.length > 0 ? names : firstUnique(added, altered.columns)
}

function renamedOrSame(name: string, { renames }: Pick<AlteredColumns, 'renames'>): string | null {
  const renamed = renames.get(name.toLowerCase())
  return renamed === undefined ? name : renamed
}

/** True when a column that remains becomes NULL or NOT NULL, which may change the key that identifies rows. */
function isNullabilityChanged(table: MySqlTable, altered: Omit<AlteredColumns, 'defined'>): boolean {
  return table.columns.some((column) => {
    const name = renamedOrSame(column.name, altered)
    const after = name === null ? undefined : columnNamed(altered.columns, name)
    return after !== undefined && after.optional !== column.optional
  })
}

function firstUnique(added: readonly KeyDefinition[], columns: readonly Column[]): string[] {
  const keys = addKeys([], added, [])
  return rowIdentity(keys, columns)
}

function canonicalNames(names: readonly string[], columns: readonly Column[]): string[] {
  return names.map((name) => columnNamed(columns, name)?.name ?? name)
}

function underivable(table: MySqlTable, reason: string): Error {
  return schemaErrors.SCHEMA_UNDERIVABLE({ table: table.id.toString(), reason })
}
