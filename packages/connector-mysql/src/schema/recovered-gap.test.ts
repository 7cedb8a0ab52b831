/** A definition that was not known while the stream handled its statement is not known after a restart either. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import type { DdlSession } from './ddl-session.ts'

interface Written {
  readonly sql: string
  readonly session?: Partial<DdlSession>
}

const STORIES: Readonly<Record<string, readonly Written[]>> = {
  'like a temporary table with the name of another one': [
    { sql: 'CREATE TABLE source (id INT PRIMARY KEY, a INT)' },
    { sql: 'CREATE TEMPORARY TABLE source (b INT)', session: { threadId: 7 } },
    { sql: 'CREATE TABLE t LIKE source', session: { threadId: 7 } },
  ],
  'with a default in a time zone that is not known': [
    { sql: "CREATE TABLE t (at TIMESTAMP DEFAULT '2020-01-01 00:00:00')", session: { timeZone: 'Mars/Olympus' } },
  ],
}

for (const [what, statements] of Object.entries(STORIES)) {
  test(`a table ${what} stays unknown`, () => {
    const [live, later] = [shopInterpreter(), shopInterpreter()]
    for (const { sql, session } of statements) {
      const { events } = live.interpret(sql, { database: 'shop', ...session })
      for (const { ddl, changes } of events) later.recover({ databaseName: 'shop', ddl, changes })
    }
    const names = [live, later].map(({ tables }) => [...tables].map(({ id }) => id.table))
    assert.ok(names[0]?.includes('t') === false)
    assert.deepEqual(names[1], names[0])
  })
}
