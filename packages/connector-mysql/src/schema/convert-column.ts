import type { Column } from '@tributary/connector-kit'
import {
  canonicalCharset,
  charsetEncoder,
  charsetNamed,
  escapeString,
  fittingType,
  hasCharset,
  resizedText,
  unescapeString,
  withCharset,
} from '@tributary/mysql'
import { columnTypeOf } from './column-type-of.ts'
import { jdbcTypeOf } from './jdbc-type.ts'

/**
 * A column after CONVERT TO CHARACTER SET: every character column gets the charset, and a TEXT column the type that has
 * room for as many characters as before, unless the statement defines the column as well. Other columns, and ENUM and
 * SET with the charset binary, do not change. Null for a column whose members do not follow.
 *
 * @param isDefinedNow the statement that converts the table defines the column
 */
export function convertColumn(column: Column, charset: string, isDefinedNow: boolean): Column | null {
  if (column.charsetName === null || column.charsetName === 'binary') return column
  const enumValues = convertedMembers(column.enumValues, column.charsetName, charset)
  if (enumValues === null) return null
  const old = columnTypeOf(column)
  const resized = isDefinedNow ? old.name : resizedText(old.name, column.charsetName, charset)
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
