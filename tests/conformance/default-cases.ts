/** A column with a default. */
export interface DefaultCase {
  readonly type: string
  /** SQL after DEFAULT. */
  readonly value: string
  /** Whether a schema has it: expressions and types of the servers' own have none, as in the reference. */
  readonly inSchema: boolean
}

const literal = (type: string, value: string): DefaultCase => ({ type, value, inSchema: true })
const other = (type: string, value: string): DefaultCase => ({ type, value, inSchema: false })

const COMMON: readonly DefaultCase[] = [
  literal('TINYINT', '-128'),
  literal('TINYINT UNSIGNED', '255'),
  literal('SMALLINT', '-32768'),
  literal('MEDIUMINT UNSIGNED', '16777215'),
  literal('INT', "'-5'"),
  literal('INT UNSIGNED', '4294967295'),
  literal('BIGINT', '-9223372036854775808'),
  literal('BIGINT UNSIGNED', '18446744073709551615'),
  literal('INT(5) ZEROFILL', '7'),
  literal('BOOLEAN', 'TRUE'),
  literal('DECIMAL(10,3)', '-1.5'),
  literal('DECIMAL(65,30)', '0.000000000000000000000000000001'),
  literal('FLOAT', '0.25'),
  literal('DOUBLE', '1e100'),
  literal('BIT(1)', "b'1'"),
  literal('BIT(12)', "b'101010101010'"),
  literal('CHAR(5)', "'ab '"),
  literal('VARCHAR(20) CHARACTER SET utf8mb4', "'it''s €'"),
  literal('VARCHAR(20) CHARACTER SET latin1', "'é'"),
  literal('BINARY(4)', "'ab'"),
  literal('VARBINARY(4)', "X'00FF'"),
  literal("ENUM('a','b,c')", "'b,c'"),
  literal("SET('a','b','c')", "'a,c'"),
  literal('DATE', "'2020-02-09'"),
  literal('TIME(3)', "'-01:02:03.5'"),
  literal('DATETIME(6)', "'2020-02-09 12:34:56.789'"),
  literal('TIMESTAMP(2) NULL', "'2020-02-09 12:34:56.5'"),
  literal('YEAR', '2020'),
  other('INT', 'NULL'),
  other('INT', '(1 + 1)'),
  other('VARCHAR(9)', "(CONCAT('a', 'b'))"),
]

const MYSQL: readonly DefaultCase[] = [
  other('JSON', "(JSON_OBJECT('a', 1))"),
  other('TEXT', "('t')"),
  other('BLOB', "(X'00FF')"),
  other('POINT', '(POINT(1, 2))'),
  other('GEOMETRY', "(ST_GeomFromText('LINESTRING(0 0,1 1)'))"),
  other('POINT NOT NULL', '(POINT(0, 0))'),
  other('GEOMCOLLECTION NOT NULL', "(ST_GeomFromText('GEOMETRYCOLLECTION EMPTY'))"),
  other('VECTOR(4)', "(STRING_TO_VECTOR('[1,2,3,4]'))"),
]

const MARIADB: readonly DefaultCase[] = [
  literal('TEXT', "'t'"),
  literal('BLOB', "'b'"),
  literal('VARCHAR(99) COMPRESSED', "'c'"),
  literal('INET4', "'192.168.0.1'"),
  literal('INET6', "'2001:DB8:0::1'"),
  literal('INET6', "'::FFFF:1.2.3.4'"),
  other('UUID', "'01020304-0506-0708-090a-0b0c0d0e0f10'"),
  other('UUID', 'UUID()'),
  other('POINT', '(POINT(1, 2))'),
  other('GEOMETRY NOT NULL', "(ST_GeomFromText('LINESTRING(0 0,1 1)'))"),
]

export function defaultCases(flavor: 'mysql' | 'mariadb'): readonly DefaultCase[] {
  return [...COMMON, ...(flavor === 'mysql' ? MYSQL : MARIADB)]
}
