import type { Database } from '@tributary/testkit'
import { hidden } from './numbers.ts'

/** A table with the values of its rows as `insertRows` takes them. Columns `id` and `seq` are what outputs are checked by. */
export interface TablePlan {
  readonly definition: string
  readonly values: string
}

/** Three columns, about 30 bytes. */
export const NARROW: TablePlan = {
  definition: 'id INT NOT NULL PRIMARY KEY, seq INT NOT NULL, name VARCHAR(40) NOT NULL',
  values: "i, i, CONCAT('customer ', i)",
}

/** That of SPEC.md's example, with a column for the check: 70 bytes of values. */
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

function groups(columns: (n: number) => readonly string[]): readonly string[] {
  return Array.from({ length: WIDE_GROUPS }, (_, n) => columns(n)).flat()
}

/** Makes a database with tables of one definition; in no binlog, so that only what is measured has to be read. */
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
