import { tableChangesFromJson } from '@tributary/connector-kit'
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { DdlInterpreter } from './ddl-interpreter.ts'
import { stateEntries, stateOfEntries } from './model-state.ts'

/** Recordings of Debezium, with its schema histories. */
const GOLDEN = new URL('../../../../fixtures/golden/expected/', import.meta.url)

interface RecordedLine {
  readonly topic?: string
  readonly value?: { readonly databaseName?: string; readonly ddl?: string; readonly tableChanges?: unknown } | null
}

function interpreterOf(file: string): DdlInterpreter {
  const isMariaDb = file.includes('@mariadb')
  return new DdlInterpreter({
    flavor: isMariaDb ? 'mariadb' : 'mysql',
    serverVersion: isMariaDb ? 101_119 : 90_704,
    lowerCaseTableNames: 0,
    serverCharset: 'utf8mb4',
    includesComments: true,
  })
}

function recovered(file: string): DdlInterpreter {
  const interpreter = interpreterOf(file)
  const text = gunzipSync(readFileSync(new URL(file, GOLDEN))).toString()
  for (const line of text.trim().split('\n')) {
    const { topic, value } = JSON.parse(line) as RecordedLine
    if (topic !== 'PFX-history' || value === null || value === undefined) continue
    const { databaseName = null, ddl = null, tableChanges } = value
    interpreter.recover({ databaseName, ddl, changes: tableChangesFromJson(tableChanges) ?? [] })
  }
  return interpreter
}

const recordings = readdirSync(GOLDEN).filter((file) => /^[^~]+\.jsonl\.gz$/.test(file))

test('the entries of a state lead to the same state, after the histories of all recordings', (t) => {
  let tables = 0
  for (const file of recordings) {
    const { state } = recovered(file)
    const again = interpreterOf(file)
    again.restore(stateOfEntries(stateEntries(state)))
    assert.deepEqual(again.state, state, file)
    tables += state.tables.length
  }
  t.diagnostic(`${recordings.length} recordings, ${tables} tables`)
  assert.ok(tables > 100)
})

test('a state that is restored replaces all that was known', () => {
  const interpreter = interpreterOf('mysql')
  interpreter.interpret('CREATE DATABASE d CHARSET latin1', { database: null })
  interpreter.interpret('CREATE TABLE t (a VARCHAR(9))', { database: 'd' })
  interpreter.interpret('ALTER TABLE unknown ADD a INT', { database: 'd' })
  const { state } = interpreter
  interpreter.interpret('CREATE DATABASE e', { database: null })
  interpreter.interpret('DROP DATABASE d', { database: null })
  interpreter.restore(state)
  assert.deepEqual(interpreter.state, state)
  const outcome = interpreter.interpret('CREATE TABLE u (a VARCHAR(9))', { database: 'd' })
  assert.equal(outcome.events[0]?.changes[0]?.table?.columns[0]?.charsetName, 'latin1')
})

test('definitions have the members that STATE_FORM stands for: increase it when this list changes', () => {
  const interpreter = interpreterOf('mysql')
  interpreter.interpret('CREATE DATABASE d CHARSET latin1', { database: null })
  interpreter.interpret("CREATE TABLE t (a ENUM('x') DEFAULT 'x' COMMENT 'c', PRIMARY KEY (a))", { database: 'd' })
  const [table] = interpreter.state.tables
  assert.deepEqual(Object.keys(table ?? {}).toSorted(), [
    'attributes',
    'columns',
    'comment',
    'defaultCharsetName',
    'id',
    'keys',
    'periods',
    'primaryKeyColumnNames',
    'versioning',
  ])
  assert.deepEqual(Object.keys(table?.columns[0] ?? {}).toSorted(), [
    'autoIncremented',
    'charsetName',
    'comment',
    'defaultValueExpression',
    'enumValues',
    'generated',
    'hasDefaultValue',
    'jdbcType',
    'length',
    'name',
    'nativeType',
    'optional',
    'position',
    'scale',
    'typeExpression',
    'typeName',
  ])
})
