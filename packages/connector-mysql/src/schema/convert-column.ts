import type { Column } from '@tributary/connector-kit'
import { hasCharset, resizedText, withCharset } from '@tributary/mysql'
import { columnTypeOf } from './column-type-of.ts'
import { jdbcTypeOf } from './jdbc-type.ts'

/**
 * A column after CONVERT TO CHARACTER SET: every character column gets the charset, and a TEXT column the type that has
 * room for as many characters as before. Other columns, and ENUM and SET with the charset binary, do not change.
 */
export function convertColumn(column: Column, charset: string): Column {
  if (column.charsetName === null || column.charsetName === 'binary') return column
  const old = columnTypeOf(column)
  const type = withCharset({ ...old, name: resizedText(old.name, column.charsetName, charset) }, charset)
  const isSpelledOtherwise = column.length !== type.length || /^(NATIONAL|NCHAR|NVARCHAR)/.test(column.typeName)
  const typeName = type.name === old.name && !isSpelledOtherwise ? column.typeName : type.name
  return {
    ...column,
    jdbcType: jdbcTypeOf(type, typeName),
    // TEXT(100) has become the TEXT type of that size.
    length: type.length ?? (column.typeName.endsWith('TEXT') ? null : column.length),
    typeName,
    typeExpression: typeName,
    charsetName: hasCharset(type.name) ? charset : null,
  }
}
