import type { Column } from '@tributary/connector-kit'
import {
  blobFor,
  canonicalCharset,
  charsetEncoder,
  charsetNamed,
  type ColumnTypeName,
  escapeString,
  fittingType,
  hasCharset,
  resizedText,
  textFor,
  textLengthMax,
  unescapeString,
  withCharset,
} from '@tributary/mysql'
import { columnTypeOf } from './column-type-of.ts'
import { displayLength } from './display-length.ts'
import { jdbcTypeOf } from './jdbc-type.ts'

/** The statement that converts a column defines it as well. */
export interface DefinedNow {
  /** The column before the statement; null when the statement adds it. */
  readonly before: Column | null
  readonly isMySql: boolean
}

/**
 * A column after CONVERT TO CHARACTER SET: every character column gets the charset, and a TEXT column the type that has
 * room for as many characters as before. Other columns, and ENUM and SET with the charset binary, do not change. Null
 * for a column whose members do not follow.
 *
 * @param definition null when the statement does not define the column
 */
export function convertColumn(column: Column, charset: string, definition: DefinedNow | null): Column | null {
  if (column.charsetName === null || column.charsetName === 'binary')
    return withDefinedSize(column, charset, definition)
  const enumValues = convertedMembers(column.enumValues, column.charsetName, charset)
  if (enumValues === null) return null
  const old = columnTypeOf(column)
  const resized =
    definition === null ? resizedText(old.name, column.charsetName, charset) : definedSize(column, charset, definition)
  const type = fittingType(withCharset({ ...old, name: resized }, charset))
  const isSpelledOtherwise = column.length !== type.length || /^(NATIONAL|NCHAR|NVARCHAR)/.test(column.typeName)
  const typeName = type.name === old.name && !isSpelledOtherwise ? column.typeName : type.name
  return {
    ...column,
    jdbcType: jdbcTypeOf(type, typeName),
    // TEXT(100) has become the TEXT type of that size.
    length: type.length ?? (/(TEXT|BLOB)$/.test(type.name) ? null : column.length),
    typeName,
    typeExpression: typeName,
    charsetName: hasCharset(type.name) ? charset : null,
    enumValues,
  }
}

/** Sizes a TEXT or BLOB column that the statement itself defines. */
function withDefinedSize(column: Column, charset: string, definition: DefinedNow | null): Column {
  if (definition === null) return column
  const type = columnTypeOf(column)
  const name = definedSize(column, charset, definition)
  return name === type.name ? column : { ...column, length: null, typeName: name, typeExpression: name }
}

/**
 * The type of a column that the statement defines. MySQL takes the size of a TEXT or BLOB column without a length from
 * the column before the statement: INT, changed to TEXT, becomes TINYTEXT. A length means characters of the new
 * charset. LONGTEXT and LONGBLOB keep their type. (sql_table.cc, prepare_blob_field; the sizes are those of 9.7.)
 */
function definedSize(column: Column, charset: string, { before, isMySql }: DefinedNow): ColumnTypeName {
  const type = columnTypeOf(column)
  if (!isMySql || textLengthMax(type) === null || type.name === 'LONGTEXT' || type.name === 'LONGBLOB') return type.name
  const length = column.length ?? (before === null ? null : displayLength(columnTypeOf(before)))
  if (length === null) return type.name
  return hasCharset(type.name) ? textFor(length, charset) : blobFor(length)
}

/**
 * Both servers keep the bytes of members and take them for bytes of the new charset: `é` of utf8mb4 becomes `茅` in gbk.
 * Null when the bytes are no text there, which the servers print incompletely, or when they are not known: a definition
 * in a charset of two or four bytes for each character may have been read from a server that printed `x`, one byte of
 * an earlier charset, as an empty member.
 */
function convertedMembers(members: readonly string[], from: string, to: string): readonly string[] | null {
  if (members.length === 0 || canonicalCharset(from) === canonicalCharset(to)) return members
  const [encode, target] = [charsetEncoder(from), charsetNamed(to)]
  if (charsetNamed(from)?.isAsciiCompatible !== true) return null
  const converted: string[] = []
  for (const member of members) {
    const text = unescapeString(member.slice(1, -1))
    const bytes = encode?.(text) ?? null
    if (bytes === null || target === undefined) return null
    const read = target.decode(bytes, 0, bytes.length)
    const isText = charsetEncoder(to)?.(read)?.equals(bytes) === true
    if (!isText) return null
    converted.push(`'${escapeString(read)}'`)
  }
  return converted
}
