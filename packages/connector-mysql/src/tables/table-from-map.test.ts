import { type ColumnDetails, ColumnTypeCode, type TableMap, type TableMapDetails } from '@tributary/mysql'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { tableFromMap } from './table-from-map.ts'

const PLAIN = { isUnsigned: false, collation: null, members: null, geometry: null, dimensions: null }
const EDGE = { type: ColumnTypeCode.timestamp2, meta: 6 }

/** MariaDB's map of `t (id INT PRIMARY KEY) WITH SYSTEM VERSIONING`: it has the columns of the period, too. */
const MAP: TableMap = {
  database: 'shop',
  table: 't',
  columns: [{ type: ColumnTypeCode.long, meta: 0 }, EDGE, EDGE],
  tail: Buffer.alloc(1),
}
const DETAILS: TableMapDetails = {
  hasNames: true,
  columns: ['id', 'row_start', 'row_end'].map((name): ColumnDetails => ({ ...PLAIN, name, isNullable: false })),
  primaryKey: [
    { column: 0, prefix: 0 },
    { column: 2, prefix: 0 },
  ],
}

function defined(createSql: string): MySqlTable {
  const settings = {
    serverVersion: 101_100,
    lowerCaseTableNames: 0,
    serverCharset: 'utf8mb4',
    includesComments: false,
  } as const
  const interpreter = new DdlInterpreter({ flavor: 'mariadb', ...settings })
  interpreter.interpret(createSql, { database: 'shop' })
  const [table] = interpreter.tables
  assert.ok(table !== undefined)
  return table
}

const cases: readonly (readonly [title: string, known: readonly string[], definition: RegExp | null])[] = [
  ['no definition is known', [], null],
  ['the table had no versions before', ['CREATE TABLE t (id INT PRIMARY KEY)'], null],
  [
    'the period is hidden',
    ['CREATE TABLE t (id INT PRIMARY KEY) WITH SYSTEM VERSIONING'],
    /^CREATE TABLE `shop`.`t` \(`id` INT NOT NULL, PRIMARY KEY \(`id`\)\) CHARSET=utf8mb4 WITH SYSTEM VERSIONING$/,
  ],
  [
    'the columns are plain ones',
    [
      'CREATE TABLE t (id INT, row_start TIMESTAMP(6) NOT NULL, row_end TIMESTAMP(6) NOT NULL, PRIMARY KEY (id, row_end))',
    ],
    /PRIMARY KEY \(`id`,/,
  ],
]

for (const [title, known, definition] of cases) {
  test(`a map with two moments: ${title}`, () => {
    const found = tableFromMap(MAP, DETAILS, known.map(defined), 'mariadb')

    if (definition === null) assert.deepEqual([found.tag, 'reason' in found && found.reason], ['unclear', REASON])
    else assert.match(found.tag === 'table' ? found.createSql : found.reason, definition)
  })
}

const REASON = 'the binlog does not contain whether the table is WITH SYSTEM VERSIONING'
