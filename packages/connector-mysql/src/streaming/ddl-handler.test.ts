import { Schema } from '@tributary/connect-api'
import { PollScope, StageChain, type TableId } from '@tributary/connector-kit'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { type Logger, silentLogger, systemClock } from '@tributary/support'
import { captureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoppedTables } from '../offset/stopped-tables.ts'
import { DdlHandler, type DdlContext, type DdlHandlerOptions } from './ddl-handler.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'

/** Compiles schemas that are named after the columns. */
const compiler = {
  compile: ({ id, columns }: MySqlTable) => ({
    schema: {
      topic: id.toString(),
      keySchema: null,
      envelopeSchema: Schema.of('string', { name: columns.map(({ name }) => name).join() }),
    },
  }),
}

function handler(logger: Logger = silentLogger): DdlHandler {
  const interpreter = shopInterpreter()
  const options = {
    interpreter,
    compiler,
    filter: { includesDatabase: () => true, includesTable: (id: TableId) => !id.table.startsWith('hidden') },
    logger,
  }
  // Statements that the parser knows need nothing else.
  return new DdlHandler(options as unknown as DdlHandlerOptions)
}

/** Topic and columns of what the statements announce. */
async function announcedAfter(ddl: DdlHandler, statements: readonly string[]): Promise<readonly string[]> {
  const context = {
    info: { file: 'binlog.000001', position: 4 },
    offset: { toDocument: () => ({}) },
    stopped: StoppedTables.none,
  } as unknown as DdlContext
  const poll = new PollScope({
    stages: new StageChain([]),
    clock: systemClock,
    signal: new AbortController().signal,
  })
  for (const sql of statements)
    await ddl.handle({ tag: 'query', threadId: 1, database: 'shop', sql, sqlMode: null }, context, poll)
  return (poll.result(false).announced ?? []).map(({ source, schemas }) => {
    const { topic, valueSchema } = schemas()
    assert.equal(source, topic)
    return `${topic} ${valueSchema?.name}`
  })
}

test('of several changes of a table only the last definition is announced, of a dropped table none', async () => {
  const ddl = handler()
  assert.deepEqual(
    await announcedAfter(ddl, [
      'CREATE TABLE a (id INT)',
      'CREATE TABLE b (id INT)',
      'CREATE TABLE hidden (id INT)',
      'ALTER TABLE a ADD x INT',
      'ALTER TABLE a ADD y INT',
      'CREATE TABLE c (id INT)',
      'DROP TABLE c',
    ]),
    ['shop.b id', 'shop.a id,x,y'],
  )
  assert.deepEqual(await announcedAfter(ddl, ['RENAME TABLE a TO d, b TO a, d TO b']), ['shop.a id', 'shop.b id,x,y'])
  assert.deepEqual(await announcedAfter(ddl, []), [])
})

test('a rename out of the captured tables, or into them, is logged; one among them is not', async () => {
  const logger = captureLogger()
  const statements = [
    'CREATE TABLE a (id INT)',
    'RENAME TABLE a TO b',
    'ALTER TABLE b RENAME TO hidden',
    'RENAME TABLE hidden TO c',
  ]
  await announcedAfter(handler(logger), statements)
  assert.deepEqual(
    logger.lines.map(({ level, message }) => [level, message.split(':', 1)[0]]),
    [
      ['warn', 'shop.b was renamed to shop.hidden, which the include and exclude lists leave out'],
      ['info', 'shop.hidden was renamed to shop.c, which the include and exclude lists select'],
    ],
  )
})

const swaps: readonly (readonly [statement: string, logged: readonly string[]])[] = [
  // The last statement of gh-ost and pt-online-schema-change, and how it is undone.
  ['RENAME TABLE t TO hidden_del, hidden_gho TO t', []],
  ['RENAME TABLE hidden_gho TO hidden_x, t TO hidden_gho, hidden_x TO t', []],
  ['RENAME TABLE t TO x, x TO hidden_del', ['warn shop.t was renamed to shop.hidden_del']],
  ['RENAME TABLE hidden_gho TO hidden_x, hidden_x TO x', ['info shop.hidden_gho was renamed to shop.x']],
  ['RENAME TABLE t TO hidden_del, hidden_del TO t', []],
  [
    'RENAME TABLE t TO hidden_del, hidden_gho TO x',
    ['warn shop.t was renamed to shop.hidden_del', 'info shop.hidden_gho was renamed to shop.x'],
  ],
]

for (const [statement, logged] of swaps) {
  test(`${statement}: ${logged.length === 0 ? 'nothing is logged' : logged.join('; ')}`, async () => {
    const logger = captureLogger()
    await announcedAfter(handler(logger), ['CREATE TABLE t (id INT)', 'CREATE TABLE hidden_gho (id INT)', statement])
    assert.deepEqual(
      logger.lines.map(({ level, message }) => `${level} ${message.split(', which', 1)[0]}`),
      logged,
    )
  })
}
