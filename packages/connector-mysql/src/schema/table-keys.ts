import type { Column } from '@tributary/connector-kit'
import { type TableKey, type Versioning, columnNamed } from './mysql-table.ts'
import { columnTypeOf } from './column-type-of.ts'
import type { KeyDefinition, KeyPart, Period } from '@tributary/mysql'

const PRIMARY = 'PRIMARY'

/**
 * Adds keys to those of a table, in the order of the statement. Keys without a name get the name that the server
 * generates; keys for foreign keys are removed where another key can replace them.
 */
export function addKeys(
  keys: readonly TableKey[],
  definitions: readonly KeyDefinition[],
  periods: readonly Period[],
): TableKey[] {
  const added: { readonly definition: KeyDefinition; readonly key: TableKey }[] = []
  for (const definition of definitions) {
    const before = [...keys, ...added.map(({ key }) => key)]
    if (definition.isIfNotExists && hasKey(before, nameToFind(definition))) continue
    added.push({ definition, key: keyOf(definition, periods) })
  }
  const candidates = [...keys, ...added.map(({ key }) => key)]
  const named = keys.filter((key) => !isRedundant(key, candidates))
  for (const { definition, key } of added) {
    if (!isRedundant(key, candidates)) named.push({ ...key, name: keyName(definition, named) })
  }
  return named
}

/** The name that IF NOT EXISTS looks for: of a key without one, that of its first column. */
function nameToFind({ kind, name, parts: [first] }: KeyDefinition): string | null {
  if (kind === 'primary') return PRIMARY
  return name ?? (first?.tag === 'column' ? first.column : null)
}

/** A row has several versions: MariaDB appends a column with the end of the version to primary and unique keys. */
export function withVersionEnd(keys: readonly TableKey[], versioning: Versioning): readonly TableKey[] {
  if (versioning.tag !== 'column') return keys
  const { end } = versioning
  return keys.map((key) => {
    const isUnique = key.kind === 'primary' || key.kind === 'unique'
    const hasEnd = key.columns.some((name) => name !== null && isSameName(name, end))
    if (!isUnique || hasEnd) return key
    const at = key.columns.length - (key.hasPeriod ? 2 : 0)
    return {
      ...key,
      columns: key.columns.toSpliced(at, 0, end),
      prefixLengths: key.prefixLengths.toSpliced(at, 0, null),
    }
  })
}

function hasKey(keys: readonly TableKey[], name: string | null): boolean {
  return name !== null && keys.some((key) => isSameName(key.name, name))
}

function keyOf({ kind, parts, name }: KeyDefinition, periods: readonly Period[]): TableKey {
  const columns = parts.map((part) => partColumns(part, periods))
  return {
    name: name ?? '',
    kind: kind === 'spatial' ? 'index' : kind,
    columns: columns.flat(),
    hasPeriod: parts.some(({ tag }) => tag === 'period'),
    prefixLengths: parts.flatMap((part, i) =>
      (columns[i] ?? []).map(() => (part.tag === 'column' ? part.prefixLength : null)),
    ),
  }
}

/**
 * The keys for altered columns: a prefix that is as long as its column, or longer, is the whole column, and remains so
 * when the column grows (sql_table.cc, mysql_prepare_alter_table).
 */
export function withFittingPrefixes(keys: readonly TableKey[], columns: readonly Column[]): TableKey[] {
  return keys.map((key) => {
    if (key.prefixLengths.every((length) => length === null)) return key
    const lengths = key.prefixLengths.map((length, i) => {
      const column = columnNamed(columns, key.columns[i] ?? '')
      return length === null || column === undefined || isWholeColumn(length, column) ? null : length
    })
    return { ...key, prefixLengths: lengths }
  })
}

function isWholeColumn(length: number, column: Column): boolean {
  const { name, length: columnLength } = columnTypeOf(column)
  if (/(TEXT|BLOB)$/.test(name) || SPATIAL.has(name)) return false
  return !/CHAR$|BINARY$/.test(name) || length >= (columnLength ?? 1)
}

/** Keys of these types always contain a part of the value. */
const SPATIAL: ReadonlySet<string> = new Set(['GEOMETRY', 'POINT', 'LINESTRING', 'POLYGON'])

function hasPrefix({ prefixLengths }: TableKey): boolean {
  return prefixLengths.some((length) => length !== null)
}

function partColumns(part: KeyPart, periods: readonly Period[]): (string | null)[] {
  switch (part.tag) {
    case 'column':
      return [part.column]
    case 'expression':
      return [null]
    case 'period': {
      // The catalogue lists the end of the period before its start.
      const period = periods.find(({ name }) => isSameName(name, part.period))
      return period === undefined ? [null] : [period.end, period.start]
    }
  }
}

/**
 * The name of a key: its own, or that of its first column, with _2, _3 … when it is in use (sql_table.cc,
 * make_unique_key_name).
 */
function keyName({ kind, name, parts }: KeyDefinition, keys: readonly TableKey[]): string {
  if (kind === 'primary') return PRIMARY
  if (name !== null) return name
  const [first] = parts
  const hasExpression = parts.some(({ tag }) => tag === 'expression')
  const base = hasExpression || first?.tag !== 'column' ? 'functional_index' : first.column
  if (!hasKey(keys, base) && !isSameName(base, PRIMARY)) return base
  let count = 2
  while (hasKey(keys, `${base}_${count}`)) count++
  return `${base}_${count}`
}

/**
 * True when another key begins with the columns of the foreign key, so that the server creates no key for it, or drops
 * it. Of two foreign keys the longer one remains, of equal ones the later (sql_table.cc, mysql_prepare_create_table).
 */
function isRedundant(foreign: TableKey, keys: readonly TableKey[]): boolean {
  if (foreign.kind !== 'foreign') return false
  return keys.some(
    (key) =>
      key !== foreign &&
      key.kind !== 'fulltext' &&
      !hasPrefix(key) &&
      foreign.columns.every((column, index) => isSameName(column ?? '', key.columns[index] ?? '')) &&
      (key.kind !== 'foreign' ||
        key.columns.length > foreign.columns.length ||
        keys.indexOf(key) > keys.indexOf(foreign)),
  )
}

/**
 * The keys in the server's order, which decides which unique key identifies rows (sql_table.cc, sort_keys): the primary
 * key, unique keys without NULL, other unique keys, others; the order of definition within each.
 *
 * The server processes the keys one after the other, and the primary key makes its columns NOT NULL in its turn: for a
 * unique key before it, they still are as declared.
 *
 * @param keys in the order of definition
 * @param declared the columns as declared, before the primary key makes some of them NOT NULL
 */
export function sortKeys(
  keys: readonly TableKey[],
  columns: readonly Column[],
  declared: readonly Column[],
): TableKey[] {
  const primary = keys.findIndex(({ kind }) => kind === 'primary')
  const ranks = new Map(keys.map((key, index) => [key, rank(key, index < primary ? declared : columns)]))
  return keys.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))
}

function rank(key: TableKey, columns: readonly Column[]): number {
  switch (key.kind) {
    case 'primary':
      return 0
    case 'unique':
      if (isHashed(key, columns)) return 5
      return 1 + (isNullable(key, columns) ? 2 : 0) + (hasPrefix(key) ? 1 : 0)
    case 'index':
    case 'foreign':
      return 6
    case 'fulltext':
      return 7
  }
}

/** MariaDB implements a unique key of whole TEXT or BLOB columns with a hidden hash, and sorts it after the others. */
function isHashed(key: TableKey, columns: readonly Column[]): boolean {
  return !hasPrefix(key) && key.columns.some((name) => name !== null && isLong(columnNamed(columns, name)))
}

function isLong(column: Column | undefined): boolean {
  return column !== undefined && /(TEXT|BLOB)$/.test(columnTypeOf(column).name)
}

function isNullable(key: TableKey, columns: readonly Column[]): boolean {
  return key.columns.some((name) => name === null || columnNamed(columns, name)?.optional !== false)
}

/**
 * The columns that identify a row: the primary key, else the first unique key of whole columns that are NOT NULL.
 *
 * @param keys in the server's order
 */
export function rowIdentity(keys: readonly TableKey[], columns: readonly Column[]): string[] {
  const key =
    keys.find(({ kind }) => kind === 'primary') ??
    keys.find((candidate) => candidate.kind === 'unique' && !isNullable(candidate, columns))
  return key === undefined ? [] : key.columns.flatMap((name) => canonicalName(name, columns))
}

/** A key may spell the name of a column in another case than the definition of the column. */
function canonicalName(name: string | null, columns: readonly Column[]): string[] {
  if (name === null) return []
  return [columnNamed(columns, name)?.name ?? name]
}

export function isSameName(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase()
}
