import { TableId } from '@tributary/connector-kit'
import { present } from '@tributary/support'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DdlInterpreter } from '../schema/ddl-interpreter.ts'
import { printTable, withoutDefinition } from './print-table.ts'

const id = TableId.of('d', 't')

function interpreterOf(flavor: 'mysql' | 'mariadb', createSql: string): DdlInterpreter {
  const interpreter = new DdlInterpreter({
    flavor,
    serverVersion: flavor === 'mysql' ? 90_704 : 101_119,
    lowerCaseTableNames: 0,
    serverCharset: 'utf8mb4',
    includesComments: false,
  })
  interpreter.interpret('CREATE DATABASE d CHARSET utf8mb4', { database: null })
  interpreter.interpret(createSql, { database: 'd' })
  return interpreter
}

function printed(interpreter: DdlInterpreter): string {
  return printTable(present(interpreter.tables.get(id), 'the table'), (of, sql) => interpreter.derive(of, sql))
}

const TABLES: readonly (readonly ['mysql' | 'mariadb', string])[] = [
  [
    'mysql',
    'CREATE TABLE t (id INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, `a``b` DECIMAL(10,2) NOT NULL, KEY k (`a``b`))',
  ],
  [
    'mysql',
    "CREATE TABLE t (a VARCHAR(20) CHARACTER SET latin1, e ENUM('x','y''z'), UNIQUE KEY u (a, e), FULLTEXT f (a))",
  ],
  ['mysql', 'CREATE TABLE t (id INT PRIMARY KEY, o INT, CONSTRAINT fk FOREIGN KEY (o) REFERENCES x (id))'],
  ['mysql', 'CREATE TABLE t (a TEXT, KEY k (a(10)))'],
  ['mysql', 'CREATE TABLE t (a TIMESTAMP(3) NULL, b DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6), c BIT(3), d JSON)'],
  ['mariadb', 'CREATE TABLE t (id INT PRIMARY KEY, a INT) WITH SYSTEM VERSIONING'],
  [
    'mariadb',
    'CREATE TABLE t (id INT PRIMARY KEY, s TIMESTAMP(6) GENERATED ALWAYS AS ROW START, e TIMESTAMP(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e)) WITH SYSTEM VERSIONING',
  ],
]

for (const [flavor, createSql] of TABLES) {
  test(`the printed statement defines the same keys and versioning: ${flavor}, ${createSql}`, () => {
    const interpreter = interpreterOf(flavor, createSql)
    const before = present(interpreter.tables.get(id), 'the table')
    const sql = printed(interpreter)
    assert.match(sql, /^CREATE TABLE/)

    // As a reader of the history sees it: the columns of the record, and the statement.
    const reader = interpreterOf(flavor, 'SELECT 1')
    reader.recover({ databaseName: 'd', ddl: sql, changes: [{ type: 'CREATE', id, previousId: null, table: before }] })
    assert.deepEqual(reader.tables.get(id), before)
  })
}

test('when keys are not known, the statement defines nothing, and a reader does not know them either', () => {
  const interpreter = interpreterOf('mysql', 'CREATE TABLE t (a INT, KEY k (a))')
  interpreter.tables.overwrite({ ...present(interpreter.tables.get(id), 'the table'), keys: null })
  assert.equal(printed(interpreter), withoutDefinition(id))
  const table = present(interpreter.tables.get(id), 'the table')
  const reader = interpreterOf('mysql', 'SELECT 1')
  const changes = [{ type: 'CREATE', id, previousId: null, table }] as const
  reader.recover({ databaseName: 'd', ddl: withoutDefinition(id), changes })
  assert.deepEqual(reader.tables.get(id), { ...table, keys: null })
})
