import type { Database } from '@tributary/testkit'
import { hidden } from './numbers.ts'

/** A table and the values of its rows for `insertRows`. The checks of the output use the columns `id` and `seq`. */
export interface TablePlan {
  readonly definition: string
  readonly values: string
}

/** Three columns, about 30 bytes. */
export const NARROW: TablePlan = {
  definition: 'id INT NOT NULL PRIMARY KEY, seq INT NOT NULL, name VARCHAR(40) NOT NULL',
  values: "i, i, CONCAT('customer ', i)",
}

/** The customers of the documentation's examples with a column for the check: 70 bytes of values. */
export const CUSTOMERS: TablePlan = {
  definition: `id INT NOT NULL PRIMARY KEY, seq INT NOT NULL, first_name VARCHAR(255) NOT NULL,
    last_name VARCHAR(255) NOT NULL, email VARCHAR(255) NOT NULL`,
  values: "i, i, CONCAT('first', i), CONCAT('last name ', i), CONCAT('user', i, '@example.com')",
}

const WIDE_GROUPS = 10

/** 52 columns of five types, about 1.3 KB. */
export const WIDE: TablePlan = {
  definition: [
    'id INT NOT NULL PRIMARY KEY',
    'seq INT NOT NULL',
    ...groups((n) => [
      `text_${n} VARCHAR(100) NOT NULL`,
      `number_${n} BIGINT NOT NULL`,
      `amount_${n} DECIMAL(12,2) NOT NULL`,
      `time_${n} DATETIME(3) NOT NULL`,
      `note_${n} VARCHAR(100)`,
    ]),
  ].join(', '),
  values: [
    'i',
    'i',
    ...groups((n) => [
      `CONCAT('a text of some length, number ${n}, of the row ', i)`,
      `i * 1000003 + ${n}`,
      `(i % 100000) + 0.${n}5`,
      `TIMESTAMPADD(SECOND, i % 10000000, '2020-01-01 00:00:00.125')`,
      n % 2 === 0 ? 'NULL' : `CONCAT('note ', i)`,
    ]),
  ].join(', '),
}

const MIXED_GROUPS = 4

/** Name, definition and a value that differs from row to row, for every kind of column. */
const MIXED_COLUMNS: readonly (readonly [name: string, definition: string, value: string])[] = [
  ['tiny', 'TINYINT NOT NULL', 'i % 100'],
  ['small', 'SMALLINT UNSIGNED NOT NULL', 'i % 60000'],
  ['medium', 'MEDIUMINT', 'i % 8000000'],
  ['whole', 'INT UNSIGNED NOT NULL', 'i + 3000000000'],
  ['large', 'BIGINT NOT NULL', 'i * 1000000007'],
  ['amount', 'DECIMAL(12,2) NOT NULL', '(i % 100000) + 0.25'],
  ['exact', 'DECIMAL(30,10)', 'i * 12345678901.0123456789'],
  ['single_float', 'FLOAT', 'i / 8'],
  ['double_float', 'DOUBLE NOT NULL', 'i / 7'],
  ['flag', 'BIT(1) NOT NULL', 'i % 2'],
  ['bits', 'BIT(16)', 'i % 65536'],
  ['word', 'CHAR(20) NOT NULL', "CONCAT('word ', i)"],
  ['line', 'VARCHAR(100) NOT NULL', "CONCAT('a line of some length, of the row ', i)"],
  ['text', 'TEXT', "CONCAT('a text: grün, 漢字, row ', i)"],
  ['fixed_bytes', 'BINARY(8)', "LPAD(HEX(i), 8, '0')"],
  ['bytes', 'VARBINARY(32)', "UNHEX(LPAD(HEX(i), 20, 'ab'))"],
  ['large_bytes', 'BLOB', "UNHEX(LPAD(HEX(i), 40, 'cd'))"],
  ['day', 'DATE NOT NULL', "TIMESTAMPADD(DAY, i % 10000, DATE '2000-01-01')"],
  ['duration', 'TIME(6)', 'SEC_TO_TIME(i % 80000)'],
  ['moment', 'DATETIME(3) NOT NULL', "TIMESTAMPADD(SECOND, i % 10000000, '2020-01-01 00:00:00.125')"],
  ['instant', 'TIMESTAMP(6) NULL', "TIMESTAMPADD(SECOND, i % 10000000, '2021-01-01 00:00:00.000123')"],
  ['in_year', 'YEAR', '2000 + i % 100'],
  ['choice', "ENUM('small', 'medium', 'large')", '1 + i % 3'],
  ['choices', "SET('a', 'b', 'c', 'd')", 'i % 16'],
  ['document', 'JSON', "JSON_OBJECT('row', i, 'tags', JSON_ARRAY('a', 'b'))"],
]

/** 102 columns of 25 types, some NULL. */
export const MIXED: TablePlan = {
  definition: [
    'id INT NOT NULL PRIMARY KEY',
    'seq INT NOT NULL',
    ...mixedColumns((n) => MIXED_COLUMNS.map(([name, definition]) => `${name}_${n} ${definition}`)),
  ].join(', '),
  values: [
    'i',
    'i',
    ...mixedColumns((n) => MIXED_COLUMNS.map(([, definition, value]) => valueOfMixed(definition, value, n))),
  ].join(', '),
}

function mixedColumns(columns: (n: number) => readonly string[]): readonly string[] {
  return Array.from({ length: MIXED_GROUPS }, (_, n) => columns(n)).flat()
}

/** In the last group, all nullable columns are NULL. */
function valueOfMixed(definition: string, value: string, group: number): string {
  const isNullable = !definition.includes('NOT NULL')
  return isNullable && group === MIXED_GROUPS - 1 ? 'NULL' : value
}

/** Four texts of a kilobyte each, with characters of one to four bytes in UTF-8. */
export const LONG_TEXTS: TablePlan = textsOf('utf8mb4', ['Größe ', ' 漢字 Ελλάδα 😀 text '])

/** The same in the charset gbk: a kilobyte of characters of one and two bytes. */
export const GBK_TEXTS: TablePlan = textsOf('gbk', ['客户名称 ', ' 订单 汉字 ΕΛΛΑΔΑ text '])

function textsOf(charset: string, [before, after]: readonly [string, string]): TablePlan {
  const columns = [1, 2, 3, 4]
  const definitions = columns.map((n) => `text_${n} TEXT CHARACTER SET ${charset} NOT NULL`)
  const texts = columns.map((n) => `REPEAT(CONCAT('${before}', i, '${after}${n}. '), 22)`)
  return {
    definition: `id INT NOT NULL PRIMARY KEY, seq INT NOT NULL, ${definitions.join(', ')}`,
    values: `i, i, ${texts.join(', ')}`,
  }
}

/**
 * A table with `count` columns and `rowBytes` bytes per row: the cost of a row must depend on the bytes, not on the
 * columns. The charset is ascii, because InnoDB calculates with the longest characters of a charset, and 200 columns of
 * utf8mb4 would not fit a page.
 */
export function columnsOf(count: number, rowBytes: number): TablePlan {
  const bytes = Math.floor(rowBytes / count)
  const numbers = Array.from({ length: count }, (_, n) => n)
  return {
    definition: `id INT NOT NULL PRIMARY KEY, seq INT NOT NULL, ${numbers.map((n) => `c${n} VARCHAR(${bytes}) CHARACTER SET ascii NOT NULL`).join(', ')}`,
    values: `i, i, ${numbers.map((n) => `RPAD(CONCAT(i, '-${n}'), ${bytes}, 'value ')`).join(', ')}`,
  }
}

function groups(columns: (n: number) => readonly string[]): readonly string[] {
  return Array.from({ length: WIDE_GROUPS }, (_, n) => columns(n)).flat()
}

/**
 * Creates a database with tables, without writing to the binlog, so that the binlog contains only the measured changes.
 */
export async function createTables(
  database: Database,
  name: string,
  tables: Readonly<Record<string, TablePlan>>,
): Promise<void> {
  await hidden(database, [
    `CREATE DATABASE IF NOT EXISTS ${name}`,
    ...Object.entries(tables).map(([table, { definition }]) => `CREATE TABLE ${name}.${table} (${definition})`),
  ])
}
