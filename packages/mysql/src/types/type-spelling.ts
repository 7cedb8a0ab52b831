import { type ColumnType, type ColumnTypeName, columnTypeNames } from './column-type.ts'

/** The meaning of a synonym. */
interface TypeMeaning {
  readonly name: ColumnTypeName
  /** NATIONAL types have the charset utf8mb3, independent of the table. */
  readonly isNational?: true
}

const SYNONYMS: Readonly<Record<string, ColumnTypeName>> = {
  BOOL: 'TINYINT',
  BOOLEAN: 'TINYINT',
  INT1: 'TINYINT',
  INT2: 'SMALLINT',
  INT3: 'MEDIUMINT',
  MIDDLEINT: 'MEDIUMINT',
  INT4: 'INT',
  INTEGER: 'INT',
  INT8: 'BIGINT',
  DEC: 'DECIMAL',
  FIXED: 'DECIMAL',
  NUMERIC: 'DECIMAL',
  NUMBER: 'DECIMAL',
  FLOAT4: 'FLOAT',
  FLOAT8: 'DOUBLE',
  REAL: 'DOUBLE',
  'DOUBLE PRECISION': 'DOUBLE',
  SQL_TSI_YEAR: 'YEAR',
  CHARACTER: 'CHAR',
  'CHAR VARYING': 'VARCHAR',
  'CHARACTER VARYING': 'VARCHAR',
  VARCHARACTER: 'VARCHAR',
  VARCHAR2: 'VARCHAR',
  CLOB: 'LONGTEXT',
  RAW: 'VARBINARY',
  LONG: 'MEDIUMTEXT',
  'LONG VARCHAR': 'MEDIUMTEXT',
  'LONG VARCHARACTER': 'MEDIUMTEXT',
  'LONG CHAR VARYING': 'MEDIUMTEXT',
  'LONG CHARACTER VARYING': 'MEDIUMTEXT',
  'LONG VARBINARY': 'MEDIUMBLOB',
  GEOMCOLLECTION: 'GEOMETRYCOLLECTION',
}

const NATIONAL: Readonly<Record<string, ColumnTypeName>> = {
  NCHAR: 'CHAR',
  'NATIONAL CHAR': 'CHAR',
  'NATIONAL CHARACTER': 'CHAR',
  NVARCHAR: 'VARCHAR',
  'NCHAR VARCHAR': 'VARCHAR',
  'NCHAR VARCHARACTER': 'VARCHAR',
  'NCHAR VARYING': 'VARCHAR',
  'NATIONAL VARCHAR': 'VARCHAR',
  'NATIONAL VARCHARACTER': 'VARCHAR',
  'NATIONAL CHAR VARYING': 'VARCHAR',
  'NATIONAL CHARACTER VARYING': 'VARCHAR',
}

const MEANINGS: ReadonlyMap<string, TypeMeaning> = new Map<string, TypeMeaning>([
  ...columnTypeNames.map((name): [string, TypeMeaning] => [name, { name }]),
  ...Object.entries(SYNONYMS).map(([spelling, name]): [string, TypeMeaning] => [spelling, { name }]),
  ...Object.entries(NATIONAL).map(([spelling, name]): [string, TypeMeaning] => [spelling, { name, isNational: true }]),
])

/**
 * Type names of two and more words, and their beginnings. The parser adds a word to a type name as long as the result
 * is in this set.
 */
const CONTINUED: ReadonlySet<string> = new Set(
  [...MEANINGS.keys()]
    .filter((spelling) => spelling.includes(' '))
    .flatMap((spelling) => {
      const words = spelling.split(' ')
      return words.slice(1).map((_, count) => words.slice(0, count + 2).join(' '))
    }),
)

/** Whether the words, in upper case and separated by one space, are a type name of several words or its beginning. */
export function continuesTypeName(words: string): boolean {
  return CONTINUED.has(words)
}

/** The meaning of a type name in upper case with one space between words; `UNKNOWN` for a name of no known server. */
export function typeMeaning(spelling: string): TypeMeaning {
  return MEANINGS.get(spelling) ?? { name: 'UNKNOWN' }
}

/** Modifiers that may follow a type name in a history record. */
const MODIFIERS = / (?:UNSIGNED|SIGNED|ZEROFILL|BINARY)(?= |$)/g

/** The members of a column that contain its type, in a history record or a catalogue. */
export interface SpelledType {
  /** Upper case, with modifiers: `INT UNSIGNED ZEROFILL`, `NATIONAL VARCHAR`, `DECIMAL SIGNED`. */
  readonly typeName: string
  readonly length: number | null
  readonly scale: number | null
  readonly charsetName: string | null
  /** Members without quotes. */
  readonly members: readonly string[]
}

/** The normal form of a type in the spelling of a schema history. */
export function parseTypeSpelling(spelled: SpelledType): ColumnType {
  const upper = spelled.typeName.toUpperCase()
  const { name } = typeMeaning(upper.replaceAll(MODIFIERS, ''))
  const isZerofill = upper.includes(' ZEROFILL')
  return {
    name,
    length: /^BOOL(EAN)?$/.test(upper) ? 1 : spelled.length,
    scale: spelled.scale,
    isUnsigned: isZerofill || upper.includes(' UNSIGNED'),
    isZerofill,
    charset: spelled.charsetName,
    collation: null,
    isBinaryCollation: upper.endsWith(' BINARY'),
    members: spelled.members,
  }
}
