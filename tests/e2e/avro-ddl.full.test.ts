/** The table of docs/15-avro.md, "Changes of a table under a compatibility level", on a real registry. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  connectorConfig,
  startRegistry,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'
import { avroProperties } from './avro/memory-registry.ts'

/** By the text of the documented row: columns of the table before, and the change. */
const CHANGES: Readonly<Record<string, readonly [columns: string, change: string]>> = {
  'a column is added that may be NULL': ['', 'ADD c INT NULL'],
  'a column is added that is NOT NULL with a default': ['', 'ADD c INT NOT NULL DEFAULT 5'],
  'a column is added that is NOT NULL without a default': ['', 'ADD c INT NOT NULL'],
  'a column is dropped that may be NULL or has a default': [', c INT NULL, d INT NOT NULL DEFAULT 1', 'DROP c, DROP d'],
  'a column is dropped that is NOT NULL without a default': [', c INT NOT NULL', 'DROP c'],
  'a column is renamed that may be NULL or has a default': [', c INT NULL', 'RENAME COLUMN c TO d'],
  'a column is renamed that is NOT NULL without a default': [', c INT NOT NULL', 'RENAME COLUMN c TO d'],
  'INT → BIGINT': [', c INT NOT NULL', 'MODIFY c BIGINT NOT NULL'],
  'FLOAT → DOUBLE': [', c FLOAT NOT NULL', 'MODIFY c DOUBLE NOT NULL'],
  'BIGINT → INT': [', c BIGINT NOT NULL', 'MODIFY c INT NOT NULL'],
  'INT → VARCHAR, DATETIME → TIMESTAMP and other types': [
    ', c INT NOT NULL, d DATETIME NULL',
    'MODIFY c VARCHAR(9) NOT NULL, MODIFY d TIMESTAMP NULL',
  ],
  'NOT NULL → NULL': [', c INT NOT NULL', 'MODIFY c INT NULL'],
  'NULL → NOT NULL': [', c INT NULL', 'MODIFY c INT NOT NULL'],
  'another default': [', c INT NOT NULL DEFAULT 1', 'MODIFY c INT NOT NULL DEFAULT 2'],
  'the default is dropped': [', c INT NOT NULL DEFAULT 1', 'MODIFY c INT NOT NULL'],
  'VARCHAR(10) → VARCHAR(20), another charset': [', c VARCHAR(10)', 'MODIFY c VARCHAR(20) CHARACTER SET latin1'],
  'ENUM or SET gets another value': [
    ", c ENUM('a','b'), d SET('a','b')",
    "MODIFY c ENUM('a','b','c'), MODIFY d SET('a','b','c')",
  ],
  'DECIMAL(10,2) → DECIMAL(12,2)': [', c DECIMAL(10,2)', 'MODIFY c DECIMAL(12,2)'],
  'DECIMAL(10,2) → DECIMAL(10,3)': [', c DECIMAL(10,2)', 'MODIFY c DECIMAL(10,3)'],
  'the columns change their order': [', c INT, d INT', 'MODIFY d INT AFTER id'],
}
const LEVELS = ['BACKWARD', 'FORWARD', 'FULL', 'NONE'] as const

interface Case {
  readonly table: string
  readonly words: string
  readonly level: (typeof LEVELS)[number]
  readonly columns: string
  readonly change: string
  readonly isAccepted: boolean
}

/** The outcomes that the documentation states, row by row; NONE accepts everything. */
function documentedCases(): readonly Case[] {
  const text = readFileSync(new URL('../../docs/15-avro.md', import.meta.url), 'utf8')
  const [, table = ''] = /\n\| change \| BACKWARD \| FORWARD \| FULL \|\n\|[-|]+\|\n((?:\|.*\n)+)/.exec(text) ?? []
  const rows = table.trimEnd().split('\n')
  assert.equal(rows.length, Object.keys(CHANGES).length)
  return rows.flatMap((row, number) => {
    const [words = '', ...answers] = row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    const [columns, change] = CHANGES[words] ?? assert.fail(`no change is made for “${words}”`)
    return LEVELS.map((level, i) => {
      const isAccepted = level === 'NONE' || answers[i] === 'yes'
      return { table: `${level.toLowerCase()}_${number}`, words, level, columns, change, isAccepted }
    })
  })
}

test('the log predicts the documented outcome of each change under each level, and it happens', async () => {
  const cases = documentedCases()
  await using stack = new AsyncDisposableStack()
  const registry = stack.use(await startRegistry())
  const { bootstrapServers } = await useKafka()
  const mysql = await useMySql()
  const service = stack.use(await startService({ bootstrapServers }))
  const schema = uniqueName('avroddl')
  const topicOf = (table: string): string => `${schema}.${schema}.${table}`
  await mysql.query(`SET SESSION sql_mode = ''; CREATE DATABASE ${schema};
    ${cases.map(({ table, columns }) => `CREATE TABLE ${schema}.${table} (id INT PRIMARY KEY${columns}); INSERT INTO ${schema}.${table} (id) VALUES (0);`).join('\n')}`)
  const more = { ...avroProperties(registry.confluentUrl), 'include.schema.changes': 'false' }
  await service.register(
    schema,
    connectorConfig({ database: mysql, bootstrapServers, prefix: schema, includes: schema, more }),
  )
  for (const { table } of cases) await waitForRecords(bootstrapServers, topicOf(table), 1, { timeoutMs: 120_000 })
  await service.waitForLog(new RegExp(`${schema}.streaming {2}Connected to binlog`))
  for (const { table, level } of cases) {
    const { status } = await registry.request('PUT', `/config/${topicOf(table)}-value`, { compatibility: level })
    assert.equal(status, 200)
  }

  // Fewer than a hundred changes at once: the log reports each of them.
  for (const { table, change } of cases) await mysql.query(`ALTER TABLE ${schema}.${table} ${change}`)
  for (const { table, words, level, isAccepted } of cases) {
    // The schema stays the same, so there is nothing to report.
    if (words.startsWith('VARCHAR(10)')) continue
    const topic = topicOf(table)
    const line = await service.waitForLog(new RegExp(`(?:The next record for|The table of topic) ${topic} .*`))
    const expected = isAccepted
      ? `compatible with version 1 under ${level}`
      : `would fail the task, .*: it is not compatible with version 1 under compatibility ${level}\\. Changed since then: `
    assert.match(line, new RegExp(expected), `${words}, ${level}`)
  }
  assert.equal((await service.taskState(schema)).state, 'RUNNING')

  const insert = (table: string): Promise<unknown> =>
    mysql.query(`SET SESSION sql_mode = ''; INSERT INTO ${schema}.${table} (id) VALUES (1)`)
  for (const { table, isAccepted } of cases) if (isAccepted) await insert(table)
  for (const { table, isAccepted } of cases) {
    if (isAccepted) await waitForRecords(bootstrapServers, topicOf(table), 2, { timeoutMs: 60_000 })
  }
  assert.equal((await service.taskState(schema)).state, 'RUNNING')
  for (const { table, words, level, isAccepted } of cases) {
    if (isAccepted) continue
    await insert(table)
    const { trace } = await service.waitForTask(schema, ['FAILED'])
    assert.match(trace, new RegExp(`subject ${topicOf(table)}-value: it is not compatible`), `${words}, ${level}`)
    await registry.request('PUT', `/config/${topicOf(table)}-value`, { compatibility: 'NONE' })
    await service.rest('POST', `/connectors/${schema}/tasks/0/restart`)
    await waitForRecords(bootstrapServers, topicOf(table), 2, { timeoutMs: 60_000 })
  }
})
