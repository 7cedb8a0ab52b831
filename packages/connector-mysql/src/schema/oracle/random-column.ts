import type { Choice } from './choice.ts'

export type ServerFlavor = 'mysql' | 'mariadb'

type Family = 'integer' | 'decimal' | 'float' | 'bit' | 'time' | 'stamp' | 'text' | 'long' | 'bytes' | 'set' | 'other'

const TYPES: Readonly<Record<Family, readonly string[]>> = {
  integer: [
    'TINYINT',
    'TINYINT(1)',
    'BOOL',
    'SMALLINT UNSIGNED',
    'MEDIUMINT ZEROFILL',
    'MIDDLEINT',
    'INT',
    'INTEGER(7) UNSIGNED ZEROFILL',
    'INT4 SIGNED',
    'BIGINT',
    'INT8 UNSIGNED',
  ],
  decimal: [
    'DECIMAL',
    'DECIMAL(6,2)',
    'NUMERIC(5) UNSIGNED',
    'DEC(19.5)',
    'FIXED(4,4)',
    'DECIMAL(0)',
    'NUMERIC(65,30)',
  ],
  float: [
    'FLOAT',
    'FLOAT(20)',
    'FLOAT(30)',
    'FLOAT(7,3) UNSIGNED',
    'DOUBLE',
    'DOUBLE(9,4) ZEROFILL',
    'REAL',
    'DOUBLE PRECISION',
  ],
  bit: ['BIT', 'BIT(9)', 'BIT(64)'],
  time: ['DATE', 'TIME', 'TIME(3)', 'YEAR'],
  stamp: ['DATETIME', 'DATETIME(6)', 'TIMESTAMP', 'TIMESTAMP(2)', 'TIMESTAMP NULL'],
  text: ['CHAR', 'CHAR(5)', 'VARCHAR(20)', 'CHARACTER VARYING(9)', 'VARCHAR(300)', 'CHAR(0)'],
  long: ['TINYTEXT', 'TEXT', 'TEXT(100)', 'MEDIUMTEXT', 'LONGTEXT', 'LONG VARCHAR', 'TEXT(20000)'],
  bytes: [
    'BINARY(3)',
    'VARBINARY(9)',
    'TINYBLOB',
    'BLOB',
    'BLOB(300)',
    'MEDIUMBLOB',
    'LONGBLOB',
    'LONG VARBINARY',
    'CHAR(3) BYTE',
  ],
  set: ["ENUM('x','y','it''s')", "SET('p','q','r')", "ENUM('X','b c')"],
  other: ['JSON', 'NCHAR(3)', 'NATIONAL VARCHAR(7)', 'GEOMETRY', 'POINT', 'POLYGON', 'NVARCHAR(4)'],
}

const OF_FLAVOR: Readonly<Record<ServerFlavor, readonly string[]>> = {
  mysql: ['VECTOR(3)', 'POINT SRID 4326', 'GEOMCOLLECTION', 'INT COLUMN_FORMAT DYNAMIC'],
  mariadb: [
    'UUID',
    'INET6',
    'INET4',
    'VARCHAR(50) COMPRESSED',
    'TEXT COMPRESSED',
    'POINT REF_SYSTEM_ID=4326',
    'NUMBER(5)',
  ],
}

const FAMILIES: readonly Family[] = [
  'integer',
  'integer',
  'integer',
  'decimal',
  'float',
  'bit',
  'time',
  'stamp',
  'stamp',
  'text',
  'text',
  'text',
  'long',
  'bytes',
  'set',
  'other',
]

const CHARSETS: readonly string[] = [
  '',
  '',
  '',
  '',
  ' CHARACTER SET latin1',
  ' CHARSET utf8mb4 COLLATE utf8mb4_bin',
  ' COLLATE koi8r_bin',
  ' CHARACTER SET utf8mb3',
  ' BINARY',
  ' CHARACTER SET latin2 BINARY',
  ' ASCII',
  ' UNICODE',
  ' CHARACTER SET binary',
  ' COLLATE utf16_general_ci',
]

const DEFAULTS: Readonly<Record<Family, readonly string[]>> = {
  integer: ['5', "'7'", '-3', '0', 'TRUE', '0x1F', '1e1', "b'11'", 'NULL', '(1 + 2)', '2.5'],
  decimal: ['1', "'1.5'", '-0.25', '2e-1', '1.555', 'NULL', '(0.1 + 0.2)', '0x05'],
  float: ['1.5', "'2.5e3'", '-1e-3', '0', 'NULL', '(1.0 / 3)'],
  bit: ["b'1'", '1', '0', '0x01', 'TRUE', 'NULL'],
  time: ["'2020-01-02'", "'10:11:12'", '2020', 'NULL', "'2000'", '(CURRENT_DATE)', '0'],
  stamp: ['CURRENT_TIMESTAMP', 'NOW()', "'2020-01-02 03:04:05'", '20200102030405', 'NULL', '(NOW())', 'LOCALTIME'],
  text: ["'x'", "''", '5', "'it''s'", "'a\\nb'", "N'n'", "_utf8mb4'ü'", 'NULL', "(UPPER('x'))", "'a' 'b'", '1.50'],
  long: ['NULL', "('t')", "'plain'"],
  bytes: ["'a'", "x'FF'", '0x00', 'NULL', "(x'41')", "''"],
  set: ["'x'", "'p'", "'p,r'", 'NULL', "''", "'X'"],
  other: ['NULL', '(NULL)', "'x'", '(JSON_ARRAY())'],
}

/** A definition of a column: type, charset and attributes, many of which a server refuses together. */
export function randomDefinition(choice: Choice, flavor: ServerFlavor, names: readonly string[]): string {
  if (choice.integer(0, 15) === 0)
    return `${choice.pick(OF_FLAVOR[flavor])}${choice.pick(['', ' NOT NULL', " COMMENT 'f'"])}`
  const family = choice.pick(FAMILIES)
  const hasCharset = family === 'text' || family === 'long' || family === 'set'
  const type = `${choice.pick(TYPES[family])}${hasCharset ? choice.pick(CHARSETS) : ''}`
  if (choice.integer(0, 14) === 0) return `${type} ${generated(choice, family, names)}`
  const attributes = [nullability(choice), defaultOf(choice, family), rare(choice, flavor, family)]
  if (choice.integer(0, 4) === 0) attributes.reverse()
  return `${type}${attributes.join('')}`
}

function nullability(choice: Choice): string {
  return choice.pick(['', '', '', '', ' NOT NULL', ' NOT NULL', ' NULL'])
}

function defaultOf(choice: Choice, family: Family): string {
  return choice.integer(0, 5) < 2 ? ` DEFAULT ${choice.pick(DEFAULTS[family])}` : ''
}

function rare(choice: Choice, flavor: ServerFlavor, family: Family): string {
  if (choice.integer(0, 4) > 0) return ''
  if (family === 'stamp' && choice.integer(0, 2) === 0) return ' ON UPDATE CURRENT_TIMESTAMP'
  const ofServer = flavor === 'mysql' ? [' VISIBLE', ' COLUMN_FORMAT FIXED', ' STORAGE MEMORY'] : [' CHECK (1)']
  return choice.pick([
    " COMMENT 'a comment'",
    " COMMENT 'it''s, (odd)'",
    ' UNIQUE',
    ' UNIQUE KEY',
    ' PRIMARY KEY',
    ' KEY',
    ' AUTO_INCREMENT UNIQUE',
    ' AUTO_INCREMENT PRIMARY KEY',
    ' INVISIBLE',
    ' CHECK (1 > 0)',
    ...ofServer,
  ])
}

function generated(choice: Choice, family: Family, names: readonly string[]): string {
  const from = `\`${choice.pick(names)}\``
  const expression = family === 'text' || family === 'long' ? `CONCAT(${from}, ')')` : `${from} + 1`
  const head = choice.pick(['AS', 'GENERATED ALWAYS AS'])
  return `${head} (${expression})${choice.pick(['', ' VIRTUAL', ' STORED', ' STORED UNIQUE', " VIRTUAL COMMENT 'g'"])}`
}
