import type { Column } from '@tributary/connector-kit'
import type { MySqlTable, TableKey } from '../mysql-table.ts'
import { canonicalCharset, type ColumnType } from '@tributary/mysql'
import { columnTypeOf } from '../column-type-of.ts'
import { readDefaultValue } from '../default-value.ts'

/** Facts about a table that both the model and a catalogue have, as texts; tests compare the two. */
export interface TableFacts {
  /** `name type [charset] [not null] [default …] [self-set] ['comment']` each. */
  readonly columns: readonly string[]
  /** `kind name (columns)` each, sorted. */
  readonly keys: readonly string[]
  readonly charset: string
  readonly comment: string
}

/** The facts that the model has about a table. */
export function modelFacts(table: MySqlTable, generated: ReadonlySet<string>): TableFacts {
  return {
    columns: table.columns.map((column) => columnFacts(column, generated.has(column.name))),
    keys: (table.keys ?? []).map(keyFacts).toSorted(),
    charset: canonicalCharset(table.defaultCharsetName ?? ''),
    comment: table.comment ?? '',
  }
}

function columnFacts(column: Column, isGenerated: boolean): string {
  const type = columnTypeOf(column)
  return columnWords({
    name: column.name,
    type: typeWords(type),
    // MySQL's catalogue has no charset for ENUM and SET of bytes; MariaDB's has one.
    charset: type.charset === null || type.charset === 'binary' ? '' : canonicalCharset(type.charset),
    isNullable: column.optional,
    defaultWords: isGenerated ? '' : defaultFacts(column, type),
    isSelfSet: column.autoIncremented,
    comment: column.comment ?? '',
  })
}

export interface ColumnWords {
  readonly name: string
  readonly type: string
  readonly charset: string
  readonly isNullable: boolean
  readonly defaultWords: string
  readonly isSelfSet: boolean
  readonly comment: string
}

export function columnWords({
  name,
  type,
  charset,
  isNullable,
  defaultWords,
  isSelfSet,
  comment,
}: ColumnWords): string {
  return [
    name,
    type,
    charset,
    isNullable ? '' : 'not null',
    defaultWords,
    isSelfSet ? 'self-set' : '',
    comment === '' ? '' : `'${comment}'`,
  ]
    .filter((word) => word !== '')
    .join(' ')
}

function keyFacts({ name, kind, columns }: TableKey): string {
  const adjective = kind === 'unique' || kind === 'primary' ? 'unique ' : kind === 'fulltext' ? 'fulltext ' : ''
  return `${adjective}${name} (${columns.map((column) => column ?? '<expression>').join(', ')})`.toLowerCase()
}

/** A type as in COLUMN_TYPE, without the display widths that only MariaDB prints. */
function typeWords(type: ColumnType): string {
  const name = type.name === 'GEOMETRYCOLLECTION' ? 'geomcollection' : type.name.toLowerCase()
  const sign = `${type.isUnsigned ? ' unsigned' : ''}${type.isZerofill ? ' zerofill' : ''}`
  return `${name}${parameterWords(type)}${sign}`
}

function parameterWords({ name, length, scale, isUnsigned, members }: ColumnType): string {
  switch (name) {
    case 'ENUM':
    case 'SET':
      return `(${members.map((member) => `'${member}'`).join(',')})`
    case 'TINYINT':
      return length === 1 && !isUnsigned ? '(1)' : ''
    case 'SMALLINT':
    case 'MEDIUMINT':
    case 'INT':
    case 'BIGINT':
    case 'YEAR':
      return ''
    case 'VECTOR':
      return `(${length ?? 2048})`
    default:
      return length === null ? '' : `(${length}${scale === null ? '' : `,${scale}`})`
  }
}

const COMPARED_AS_TEXT: ReadonlySet<string> = new Set(['CHAR', 'VARCHAR', 'ENUM', 'SET', 'BIT'])
const COMPARED_AS_NUMBER: ReadonlySet<string> = new Set([
  'TINYINT',
  'SMALLINT',
  'MEDIUMINT',
  'INT',
  'BIGINT',
  'DECIMAL',
  'FLOAT',
  'DOUBLE',
])

function defaultFacts(column: Column, { name }: ColumnType): string {
  const value = readDefaultValue(column)
  if (value.tag === 'none') return ''
  if (value.tag === 'bytes') return 'default a literal'
  return defaultWords(name, value.text)
}

/** Strings and numbers by value; times and bytes only as 'literal', because the server rewrites them. */
export function defaultWords(typeName: string, text: string): string {
  // MySQL's catalogue is in utf8mb3 and replaces each other character with a question mark.
  if (COMPARED_AS_TEXT.has(typeName)) return `default '${text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?')}'`
  // MySQL's catalogue has six digits of a FLOAT.
  if (typeName === 'FLOAT') return `default ${Number(Number(text).toPrecision(6))}`
  if (COMPARED_AS_NUMBER.has(typeName)) return `default ${Number(text)}`
  return 'default a literal'
}
