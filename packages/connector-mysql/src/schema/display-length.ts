import { bytesPerCharacterMax, textLengthMax, type ColumnType } from '@tributary/mysql'

/**
 * The length from which MySQL derives the size of a TEXT or BLOB column that replaces a column, as observed on 9.7: of
 * the longest value as the server prints it. For types whose values are always short it is an upper bound. Of a column
 * with a charset it is divided by the bytes of its longest character, also where the length counts characters.
 *
 * @param type with its charset resolved
 */
export function displayLength(type: ColumnType): number {
  const { name, length, scale, isUnsigned } = type
  switch (name) {
    case 'CHAR':
    case 'VARCHAR':
      return inCharset(type, length ?? 1)
    case 'BINARY':
    case 'VARBINARY':
    case 'BIT':
      return length ?? 1
    case 'DECIMAL':
      return (length ?? 10) + ((scale ?? 0) > 0 ? 1 : 0) + (isUnsigned ? 0 : 1)
    case 'ENUM':
      return inCharset(type, Math.max(0, ...type.members.map(charactersOf)))
    case 'SET':
      // With a comma between two members.
      return inCharset(
        type,
        type.members.map(charactersOf).reduce((sum, each) => sum + each + 1, -1),
      )
    case 'VECTOR':
      return (length ?? DIMENSIONS) * BYTES_PER_DIMENSION
    case 'TINYINT':
    case 'SMALLINT':
    case 'MEDIUMINT':
    case 'INT':
    case 'BIGINT':
    case 'FLOAT':
    case 'DOUBLE':
      return length ?? SHORT
    case 'YEAR':
    case 'DATE':
    case 'TIME':
    case 'DATETIME':
    case 'TIMESTAMP':
      return SHORT
    default:
      // JSON and all spatial types are stored as LONGBLOB.
      return textLengthMax(type) ?? Number.POSITIVE_INFINITY
  }
}

/** At least the length of 2024-01-01 00:00:00.000000 and of any integer or floating-point number. */
const SHORT = 26

/** The dimensions of a VECTOR that is declared without them. */
const DIMENSIONS = 2_048
const BYTES_PER_DIMENSION = 4

function inCharset({ charset }: ColumnType, length: number): number {
  return Math.floor(length / bytesPerCharacterMax(charset ?? ''))
}

function charactersOf(member: string): number {
  return Array.from(member).length
}
