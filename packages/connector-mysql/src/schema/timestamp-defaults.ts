import type { Column } from '@tributary/connector-kit'
import type { ColumnDefinition } from '@tributary/mysql'

/**
 * TIMESTAMP columns of a session with explicit_defaults_for_timestamp=OFF, the default before MySQL 8.0 and MariaDB
 * 10.10: without NULL they are NOT NULL and have the zero timestamp as default; the first one of the table, if it is
 * new, is set to the current time at each change (sql_table.cc, promote_first_timestamp_column).
 */

const ZERO = '0000-00-00 00:00:00'

/** A definition with the zero default written out where it applies. */
export function withZeroTimestamp(definition: ColumnDefinition): ColumnDefinition {
  return hasZeroDefault(definition) ? { ...definition, defaultValue: { tag: 'string', value: ZERO } } : definition
}

/** True when the definition of a TIMESTAMP has neither NULL nor a default nor ON UPDATE. */
export function hasImplicitDefault(definition: ColumnDefinition): boolean {
  return hasZeroDefault(definition) && !definition.isUpdatedAutomatically
}

function hasZeroDefault(definition: ColumnDefinition): boolean {
  return (
    definition.type.name === 'TIMESTAMP' &&
    definition.isNullable !== true &&
    // MariaDB ignores an explicit NULL; MySQL refuses it.
    (definition.defaultValue === null || definition.defaultValue.tag === 'null') &&
    !definition.isGenerated &&
    definition.rowPeriodEdge === null
  )
}

/** Sets ON UPDATE and the default of the first TIMESTAMP to the current time, if its default is implicit. */
export function promoteFirstTimestamp(columns: readonly Column[], implicit: ReadonlySet<Column>): readonly Column[] {
  const first = columns.find(({ typeName }) => typeName === 'TIMESTAMP')
  if (first === undefined || !implicit.has(first)) return columns
  const promoted: Column = {
    ...first,
    autoIncremented: true,
    generated: true,
    defaultValueExpression: '1970-01-01 00:00:00',
  }
  return columns.map((column) => (column === first ? promoted : column))
}
