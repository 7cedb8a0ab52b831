import type { Column } from '@tributary/connector-kit'
import { catalogueType, type ColumnType, parseTypeSpelling, unescapeString } from '@tributary/mysql'

/**
 * The type of a column in the normal form that determines how values are decoded, also for columns of records that the
 * reference connector wrote: `INT8 UNSIGNED` is BIGINT, `FLOAT(25)` is DOUBLE, `TEXT(10)` is TINYTEXT.
 */
export function columnTypeOf(column: Column): ColumnType {
  return catalogueType(
    parseTypeSpelling({
      typeName: column.typeName,
      length: column.length,
      scale: column.scale,
      charsetName: column.charsetName,
      members: enumMembers(column),
    }),
  )
}

/** Members of ENUM and SET in order, as strings. */
export function enumMembers(column: Column): readonly string[] {
  return column.enumValues.map((quoted) => unescapeString(quoted.replaceAll(/^'|'$/g, '')))
}
