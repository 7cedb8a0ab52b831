import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DdlSyntaxError } from './errors.ts'
import type { DdlOptions } from './options.ts'
import { Lexer } from './lexer.ts'
import { parseDdl } from './parse-statement.ts'
import type { Statement } from './statement.ts'

// The corpus of connector-mysql compares the columns, keys and options of statements with the servers.

const MYSQL: DdlOptions = { flavor: 'mysql', serverVersion: 90_704, ansiQuotes: false }
const MARIADB: DdlOptions = { flavor: 'mariadb', serverVersion: 101_119, ansiQuotes: false }

/** One line per statement: its tag and its most important fields. */
function brief(statement: Statement): string {
  switch (statement.tag) {
    case 'dml':
      return `dml ${statement.verb} ${statement.table === null ? '-' : `${statement.table.database ?? ''}.${statement.table.table}`}`
    case 'transaction':
      return `transaction ${statement.control.tag}`
    case 'ignored':
      return `ignored ${statement.what}`
    case 'setVariables':
      return `set ${statement.variables.map(({ name, value }) => `${name}=${value}`).join(' ')}`
    case 'truncateTable':
      return `truncate ${statement.table.table}`
    default:
      return statement.tag
  }
}

const statements: readonly (readonly [sql: string, expected: string])[] = [
  ['BEGIN', 'transaction begin'],
  ['SAVEPOINT `s`', 'transaction inside'],
  ["XA PREPARE X'01',X'',1", 'transaction end'],
  ['BEGIN NOT ATOMIC SELECT 1; END', 'ignored BEGIN'],
  ['INSERT INTO t VALUES (1)', 'dml INSERT .t'],
  ['insert low_priority ignore into `d b`.`t`(a) values (1)', 'dml INSERT d b.t'],
  ['REPLACE t SET a = 1', 'dml REPLACE .t'],
  ['UPDATE LOW_PRIORITY a.b SET c = 1', 'dml UPDATE a.b'],
  ['DELETE QUICK FROM t WHERE a', 'dml DELETE .t'],
  ["LOAD DATA LOCAL INFILE 'x' REPLACE INTO TABLE `t` (a)", 'dml LOAD .t'],
  ['WITH x AS (SELECT 1) DELETE FROM t', 'dml WITH -'],
  ['CALL p(1)', 'dml CALL -'],
  ['TRUNCATE TABLE t', 'truncate t'],
  ['truncate `T`', 'truncate T'],
  ['SET NAMES utf8mb4 COLLATE utf8mb4_bin', 'set names=utf8mb4'],
  [
    'SET character_set_server=utf8mb4, collation_server=utf8mb4_0900_ai_ci',
    'set character_set_server=utf8mb4 collation_server=utf8mb4_0900_ai_ci',
  ],
  ["SET @@GLOBAL.a = 'x', SESSION b := 5, @c = (1, 2), @@d = -1", 'set a=x b=5 @c= d='],
  ["SET PASSWORD FOR 'a'@'b' = 'secret'", 'ignored SET'],
  ['GRANT ALL ON *.* TO x', 'ignored GRANT'],
  ['FLUSH PRIVILEGES', 'ignored FLUSH'],
  ['ANALYZE TABLE t', 'ignored ANALYZE'],
  ['# Dummy event replacing event type 160 that slave cannot handle.', 'ignored '],
  ['', 'ignored '],
  ['CREATE DEFINER=`root`@`localhost` PROCEDURE p() BEGIN CREATE TABLE x (id INT); END', 'ignored CREATE PROCEDURE'],
  [
    'CREATE OR REPLACE ALGORITHM=MERGE DEFINER=`a`@`b` SQL SECURITY DEFINER VIEW `table` AS SELECT 1',
    'ignored CREATE VIEW',
  ],
  ['create trigger t before insert on x for each row set new.a = 1', 'ignored CREATE TRIGGER'],
  ['CREATE AGGREGATE FUNCTION f RETURNS INTEGER SONAME "x"', 'ignored CREATE FUNCTION'],
  ["CREATE USER a IDENTIFIED BY 'secret'", 'ignored CREATE USER'],
  ["CREATE SPATIAL REFERENCE SYSTEM 1 NAME 'x' DEFINITION 'y'", 'ignored CREATE REFERENCE'],
  ['ALTER EVENT e RENAME TO f', 'ignored ALTER EVENT'],
  ['ALTER USER a ACCOUNT LOCK', 'ignored ALTER USER'],
  ['DROP SEQUENCE s', 'ignored DROP SEQUENCE'],
  ['RENAME USER a TO b', 'ignored RENAME'],
]

for (const [sql, expected] of statements) {
  test(`${expected}: ${sql}`, () => assert.equal(brief(parseDdl(sql, MYSQL)), expected))
}

test('the text of a statement has no preceding comments and no final semicolon', () => {
  assert.equal(parseDdl(' /* a */ -- b\n DROP TABLE t /* c */ ;\n', MYSQL).text, 'DROP TABLE t /* c */')
  assert.equal(
    parseDdl('/*!40000 ALTER TABLE t DISABLE KEYS */;', MYSQL).text,
    '/*!40000 ALTER TABLE t DISABLE KEYS */',
  )
})

test('SET STATEMENT … FOR is skipped', () => {
  const statement = parseDdl("SET STATEMENT a = 1, sql_mode = 'x' FOR CREATE DATABASE d", MARIADB)

  assert.equal(statement.tag, 'createDatabase')
  assert.equal(statement.text, 'CREATE DATABASE d')
})

test('each pair of RENAME TABLE has its text', () => {
  const statement = parseDdl('RENAME TABLES `a` TO b , x.c  TO `y`.d', MYSQL)

  assert.equal(statement.tag, 'renameTable')
  assert.equal(statement.prefix, 'RENAME TABLES ')
  assert.deepEqual(
    statement.renames.map(({ text }) => text),
    ['`a` TO b', 'x.c  TO `y`.d'],
  )
})

test('only the first tokens of an INSERT are read', (t) => {
  const next = t.mock.method(Lexer.prototype, 'next')

  parseDdl(`INSERT INTO t VALUES (${'1,'.repeat(2_000_000)}2)`, MYSQL)

  assert.ok(next.mock.callCount() > 0 && next.mock.callCount() < 40, `${next.mock.callCount()} tokens`)
})

test('a clause that no server has yet is skipped', () => {
  const sql = `CREATE TABLE t (a INT SHINY, b INT GLOWING=5 NOT NULL, c INT HALO('x', (1)) DEFAULT 3) BRIGHTNESS = 'high' LUSTRE 5`
  const statement = parseDdl(sql, MYSQL)

  assert.equal(statement.tag, 'createTable')
  assert.deepEqual(
    statement.columns.map(({ name, isNullable, defaultValue }) => [name, isNullable, defaultValue]),
    [
      ['a', null, null],
      ['b', false, null],
      ['c', null, { tag: 'number', text: '3' }],
    ],
  )
})

test('a type that no server has yet keeps its name', () => {
  const statement = parseDdl('CREATE TABLE t (a HYPERCUBE(3, 4) NOT NULL)', MYSQL)

  assert.equal(statement.tag, 'createTable')
  const [column] = statement.columns
  assert.equal(column?.typeSpelling, 'HYPERCUBE')
  assert.equal(column.type.name, 'UNKNOWN')
  assert.equal(column.isNullable, false)
})

const refused: readonly (readonly [sql: string, offset: number, expected: string, tables: readonly string[]])[] = [
  ['ALTER TABLE a.b ADD COLUMN', 26, 'a column name', ['b']],
  ['CREATE TABLE t (a INT, b)', 24, 'a data type', ['t']],
  ["CREATE TABLE t (a VARCHAR('x)", 26, 'a length', ['t']],
  ['CREATE TABLE t', 14, 'columns or a query', ['t']],
  ['DROP TABLE a, b, ', 17, 'a table name', ['a', 'b']],
  ['RENAME TABLE a TO b, c d', 23, 'TO', ['a', 'b', 'c']],
  ['CREATE UNIQUE INDEX i ON t', 26, '(', ['t']],
  ['CREATE TABLE t (a INT DEFAULT (1', 32, ')', ['t']],
]

for (const [sql, offset, expected, tables] of refused) {
  test(`fails with offset, expectation and tables: ${sql}`, () => {
    assert.throws(
      () => parseDdl(sql, MYSQL),
      (error) => {
        assert.ok(error instanceof DdlSyntaxError)
        assert.equal(error.code, 'DDL_SYNTAX')
        assert.equal(error.statement, sql)
        assert.equal(error.offset, offset)
        assert.equal(error.expected, expected)
        assert.deepEqual(
          error.tables.map(({ table }) => table),
          tables,
        )
        return true
      },
    )
  })
}

test('the error message of a long statement contains only the part around the offset', () => {
  const columns = Array.from({ length: 5000 }, (_, i) => `c${i} INT`).join(', ')

  assert.throws(
    () => parseDdl(`CREATE TABLE t (${columns}, broken) ENGINE=InnoDB`, MYSQL),
    (error) => error instanceof DdlSyntaxError && error.message.includes('broken') && error.message.length < 1000,
  )
})

test('a default value with more signs or parentheses than the call stack has room for is a syntax error', () => {
  for (const nesting of ['-', '(']) {
    const sql = `CREATE TABLE t (a INT DEFAULT ${nesting.repeat(50_000)}1)`
    assert.throws(() => parseDdl(sql, MARIADB), DdlSyntaxError)
  }
})
