import type { ColumnType, ColumnTypeName } from '@tributary/mysql'

/** Numbers of java.sql.Types, which identify types in history and schema change records. */
const OTHER = 1111
const NUMERIC = 2
const NCHAR = -15
const NVARCHAR = -9

const JDBC_TYPES: Readonly<Partial<Record<ColumnTypeName, number>>> = {
  // SMALLINT, as of the reference connector up to 3.6: its records have TINYINT as int16.
  TINYINT: 5,
  SMALLINT: 5,
  MEDIUMINT: 4,
  INT: 4,
  BIGINT: -5,
  DECIMAL: 3,
  FLOAT: 6,
  DOUBLE: 8,
  BIT: -7,
  YEAR: 4,
  DATE: 91,
  TIME: 92,
  DATETIME: 93,
  TIMESTAMP: 2014,
  CHAR: 1,
  VARCHAR: 12,
  TINYTEXT: 12,
  TEXT: 12,
  MEDIUMTEXT: 12,
  LONGTEXT: 12,
  BINARY: -2,
  VARBINARY: -3,
  TINYBLOB: 2004,
  BLOB: 2004,
  MEDIUMBLOB: 2004,
  LONGBLOB: 2004,
  ENUM: 1,
  SET: 1,
}

/** @param spelling as the statement has it: NUMERIC and the NATIONAL types have numbers of their own */
export function jdbcTypeOf(type: ColumnType, spelling: string): number {
  if (spelling.startsWith('NUMERIC')) return NUMERIC
  if (/^(NATIONAL|NCHAR|NVARCHAR)/.test(spelling)) return type.name === 'CHAR' ? NCHAR : NVARCHAR
  return JDBC_TYPES[type.name] ?? OTHER
}
