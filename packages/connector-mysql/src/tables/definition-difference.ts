import type { Column } from '@tributary/connector-kit'
import { bytesPerCharacterMax, canonicalCharset, type ColumnType, hasCharset } from '@tributary/mysql'
import { columnTypeOf } from '../schema/column-type-of.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'

/**
 * How the rows under two definitions of one table differ:
 *
 * - `same`: the same columns, values and key.
 * - `extended`: rows under the first one have the same values under the second one, which adds members of ENUM or SET.
 * - `hidden`: a binlog without names does not show under which of them a row was written.
 * - `visible`: its table maps differ.
 */
export type DefinitionDifference =
  | { readonly tag: 'same' | 'extended' }
  | { readonly tag: 'hidden' | 'visible'; readonly what: string }

/** Compares what the values and the key of events depend on. Defaults, comments and display widths are not compared. */
export function definitionDifference(known: MySqlTable, current: MySqlTable): DefinitionDifference {
  if (known.columns.length !== current.columns.length) {
    return { tag: 'visible', what: `it has ${current.columns.length} columns instead of ${known.columns.length}` }
  }
  let hidden: string | null = null
  let isExtended = false
  for (const [index, column] of known.columns.entries()) {
    const other = current.columns[index] as Column
    const [type, otherType] = [columnTypeOf(column), columnTypeOf(other)]
    const what = `column ${index + 1} is ${spelled(other, otherType)} instead of ${spelled(column, type)}`
    if (column.name !== other.name) hidden ??= what
    if (type.name === 'UNKNOWN' || otherType.name === 'UNKNOWN') continue
    if (isOtherWire(type, otherType) || column.optional !== other.optional) return { tag: 'visible', what }
    if (isOtherValue(type, otherType)) hidden ??= what
    else if (type.members.length !== otherType.members.length) isExtended = true
  }
  hidden ??= keyDifference(known, current)
  if (hidden !== null) return { tag: 'hidden', what: hidden }
  return { tag: isExtended ? 'extended' : 'same' }
}

/**
 * Whether more was changed than what table maps show, such as a column that was added. Then there may have been two
 * statements, and rows in between, which the map of the known definition fits, but not its names or values.
 *
 * @param isShown whether the map of the rows shows that the column of that index, in the known definition, is of another type
 */
export function isMoreThanShown(
  known: MySqlTable,
  current: MySqlTable,
  isShown: (column: Column, index: number) => boolean,
): boolean {
  if (isReordered(known, current) || isOtherNotNullKey(known, current)) return true
  let goneCount = 0
  for (const [index, column] of known.columns.entries()) {
    const other = current.columns.find(({ name }) => name === column.name)
    if (other === undefined) goneCount += 1
    else if (isOtherUnseen(column, other) && !isShown(other, index)) return true
  }
  // Without a rename, only columns that were dropped are gone.
  return goneCount > Math.max(0, known.columns.length - current.columns.length)
}

/** Whether columns that both definitions have are in another order. */
function isReordered(known: MySqlTable, current: MySqlTable): boolean {
  const names = (one: MySqlTable, other: MySqlTable): readonly string[] =>
    one.columns.map(({ name }) => name).filter((name) => other.columns.some((column) => column.name === name))
  const others = names(current, known)
  return names(known, current).some((name, i) => name !== others[i])
}

/** A key of columns that may be NULL makes them NOT NULL, which maps show. */
function isOtherNotNullKey(known: MySqlTable, current: MySqlTable): boolean {
  const isNotNull = (name: string): boolean => known.columns.some((column) => column.name === name && !column.optional)
  return keyDifference(known, current) !== null && current.primaryKeyColumnNames.every(isNotNull)
}

function isOtherUnseen(column: Column, other: Column): boolean {
  const [type, otherType] = [columnTypeOf(column), columnTypeOf(other)]
  if (type.name === 'UNKNOWN' || otherType.name === 'UNKNOWN' || isOtherWire(type, otherType)) return false
  return isOtherValue(type, otherType) || type.members.length !== otherType.members.length
}

/**
 * The table with the members that the current definition has added to its columns of type ENUM and SET. Null when such
 * a column has another name there, or other members. The same table when nothing was added.
 */
export function withMembersOf(known: MySqlTable, current: MySqlTable): MySqlTable | null {
  let isExtended = false
  const columns: Column[] = []
  for (const column of known.columns) {
    const { members } = columnTypeOf(column)
    const other = members.length === 0 ? column : current.columns.find(({ name }) => name === column.name)
    if (other === undefined) return null
    const others = columnTypeOf(other).members
    if (members.some((member, i) => i < others.length && member !== others[i])) return null
    const isLonger = others.length > members.length
    isExtended ||= isLonger
    columns.push(isLonger ? { ...column, enumValues: other.enumValues } : column)
  }
  return isExtended ? { ...known, columns } : known
}

function isOtherWire(type: ColumnType, other: ColumnType): boolean {
  const [form, otherForm] = [wireForm(type), wireForm(other)]
  return form !== otherForm && !(isUnsized(form, otherForm) || isUnsized(otherForm, form))
}

function isUnsized(form: string, other: string): boolean {
  return form === UNSIZED && other.startsWith(UNSIZED)
}

/** Of text whose charset is not known: a history record may lack it. */
const UNSIZED = 'CHAR'

function spelled({ name, typeName }: Column, { members }: ColumnType): string {
  return members.length === 0 ? `${name} ${typeName}` : `${name} ${typeName}(${members.join(',').slice(0, 200)})`
}

/** Whether the same bytes are another value, or one of another form. */
function isOtherValue(type: ColumnType, other: ColumnType): boolean {
  if (valueForm(type) !== valueForm(other)) return true
  if (type.isUnsigned !== other.isUnsigned) return true
  if (type.members.some((member, i) => member !== other.members[i])) return true
  return charsetOf(type) !== charsetOf(other) && type.charset !== null && other.charset !== null
}

/** MariaDB prints JSON as the LONGTEXT that it is. */
function valueForm({ name }: ColumnType): string {
  return name === 'JSON' ? 'LONGTEXT' : name
}

function charsetOf({ name, charset }: ColumnType): string {
  return hasCharset(name) ? canonicalCharset(charset ?? '') : ''
}

/** What a table map without signs, charsets and names contains of a type, in a form of its own. */
function wireForm({ name, length, scale, charset, members }: ColumnType): string {
  switch (name) {
    case 'DECIMAL':
      return `${name} ${length ?? 10} ${scale ?? 0}`
    case 'BIT':
      return `${name} ${length ?? 1}`
    case 'TIME':
    case 'DATETIME':
    case 'TIMESTAMP':
      return `${name} ${length ?? 0}`
    case 'CHAR':
    case 'VARCHAR':
      return charset === null ? UNSIZED : `CHAR ${(length ?? 1) * bytesPerCharacterMax(charset)}`
    case 'BINARY':
    case 'VARBINARY':
      return `CHAR ${length ?? 1}`
    case 'TINYTEXT':
    case 'TEXT':
    case 'MEDIUMTEXT':
    case 'LONGTEXT':
      return name.replace('TEXT', 'BLOB')
    case 'JSON':
      return 'LONGBLOB'
    case 'UUID':
    case 'INET6':
      return 'CHAR 16'
    case 'INET4':
      return 'CHAR 4'
    case 'POINT':
    case 'LINESTRING':
    case 'POLYGON':
    case 'MULTIPOINT':
    case 'MULTILINESTRING':
    case 'MULTIPOLYGON':
    case 'GEOMETRYCOLLECTION':
      return 'GEOMETRY'
    case 'ENUM':
      return `${name} ${members.length < 256 ? 1 : 2}`
    case 'SET':
      return `${name} ${Math.ceil(members.length / 8)}`
    default:
      return name
  }
}

/** The key of a table that was read from a history record is known, but not of which kind it is. */
function keyDifference(known: MySqlTable, current: MySqlTable): string | null {
  const [before, now] = [known, current].map(({ primaryKeyColumnNames: names }) => names.join(', '))
  const isPrimary = [known, current].some(({ keys }) => keys?.some(({ kind }) => kind === 'primary'))
  if (before === now || known.keys === null || !isPrimary) return null
  return `its key is (${now}) instead of (${before})`
}
