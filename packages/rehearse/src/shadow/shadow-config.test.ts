import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServerIdOf, randomServerId, SERVER_ID_MAX } from './server-id.ts'
import { sessionStatements } from './session-statements.ts'
import { shadowConfig } from './shadow-config.ts'

const shadow = (original: Readonly<Record<string, string>>, serverId?: number): ReturnType<typeof shadowConfig> =>
  shadowConfig(original, { serverId, isKeyAvro: false, isValueAvro: false })

test('statements that do more than set their session do not run beside the connector, and are named', () => {
  const original = {
    'database.initial.statements': `SET NAMES utf8mb4; DELETE FROM jobs WHERE note = 'a;;b'; set session sql_mode = ''; CALL login()`,
  }
  const { config, changed } = shadow(original)
  assert.equal(config['database.initial.statements'], `SET NAMES utf8mb4;set session sql_mode = ''`)
  assert.match(
    changed.find(({ property }) => property === 'database.initial.statements')?.reason ?? '',
    /leaves out DELETE, CALL$/,
  )
  assert.equal(
    'database.initial.statements' in shadow({ 'database.initial.statements': 'INSERT INTO t VALUES (1)' }).config,
    false,
  )
})

// Statements of the manuals of MySQL and MariaDB that begin with SET and act beyond the session, or may.
for (const statement of [
  'SET GLOBAL max_connections = 1',
  'SET PERSIST max_connections = 1',
  'SET PERSIST_ONLY max_connections = 1',
  'SET @@GLOBAL.max_connections = 1',
  'SET @@persist.max_connections = 1',
  'SET sql_mode = ANSI, GLOBAL max_connections = 1',
  `SET PASSWORD = 'x'`,
  `SET PASSWORD FOR a = 'x'`,
  'SET DEFAULT ROLE ALL TO a',
  'SET RESOURCE GROUP g',
  'SET STATEMENT max_statement_time=1 FOR DELETE FROM t',
  'SET @x = write_a_row()',
  'SET @x = (SELECT write_a_row ())',
  'SET @x = `write_a_row`(1)',
  'SET /*!80000 GLOBAL */ max_connections = 1',
  'SETTLE = 1',
]) {
  test(`not run: ${statement}`, () => {
    assert.deepEqual(sessionStatements(statement), { kept: '', left: [statement] })
  })
}

for (const statement of [
  'SET SESSION time_zone = "+00:00"',
  `SET @@session.sql_mode = CONCAT(@@sql_mode, ',ANSI')`,
  'SET @a := 1',
  'SET TRANSACTION ISOLATION LEVEL READ COMMITTED',
  'set role reader',
  'SET wait_timeout=28800, interactive_timeout=28800',
]) {
  test(`run: ${statement}`, () => {
    assert.deepEqual(sessionStatements(statement), { kept: statement, left: [] })
  })
}

test('the rehearsal reads the binlog as another replica than the connector, with an id that a server can store', () => {
  const original = { 'database.server.id': ' 184054 ' }
  assert.equal(isServerIdOf(original, 184_054), true)
  assert.equal(isServerIdOf(original, 184_055), false)
  assert.equal(isServerIdOf({}, 0), false)
  for (let round = 0; round < 1000; round++) {
    const id = randomServerId(original)
    assert.ok(id >= 2 ** 31 && id <= SERVER_ID_MAX)
  }
  assert.equal(shadow(original, 77).config['database.server.id'], '77')
  assert.notEqual(shadow(original).config['database.server.id'], '184054')
})

test('heartbeats and their statement are removed', () => {
  const { config, changed } = shadow({ 'heartbeat.interval.ms': '100', 'heartbeat.action.query': 'UPDATE t SET n = 1' })
  assert.deepEqual(Object.keys(config), ['database.server.id'])
  assert.equal(changed.length, 3)
})

test('a mode with which the move would take a snapshot is named as such', () => {
  const { config, changed } = shadow({ 'snapshot.mode': 'always' })
  assert.equal(config['snapshot.mode'], 'no_data')
  assert.match(changed.at(-1)?.reason ?? '', /the move would take one of all tables/)
  assert.equal(shadow({ 'snapshot.mode': 'initial' }).config['snapshot.mode'], 'initial')
})
