import { TableId } from '@tributary/connector-kit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DdlInterpreter } from './ddl-interpreter.ts'
import { concernsTable, sameTableOn } from './statement-targets.ts'

const interpreter = new DdlInterpreter({
  flavor: 'mysql',
  serverVersion: 90_704,
  lowerCaseTableNames: 0,
  serverCharset: 'utf8mb4',
  includesComments: true,
})

function concerns(sql: string, table: string, database: string | null = 'shop'): boolean {
  const targets = interpreter.targetsOf(sql, { database })
  assert.equal(targets.tag, 'unclear', `${sql} is not understood`)
  return concernsTable(targets, TableId.of('shop', table), sameTableOn({ lowerCaseTableNames: 0 }))
}

test('a statement that is not understood concerns the tables that it may name, wherever it names them', () => {
  assert.ok(concerns('CREATE INDEX i FROBNICATED ON t (x)', 't'))
  assert.ok(concerns('CREATE INDEX i FROBNICATED ON T (x)', 't'), 'names of the server may differ by case')
  assert.ok(concerns('CREATE INDEX i FROBNICATED ON `order lines` (x)', 'order lines'))
  assert.ok(concerns('CREATE INDEX i FROBNICATED ON `a``b` (x)', 'a`b'))
  assert.ok(concerns('CREATE INDEX i FROBNICATED ON "it\'s" (x)', "it's"))
  assert.ok(concerns('CREATE INDEX i FROBNICATED ON größe (x)', 'größe'))
  assert.ok(concerns("CREATE INDEX i FROBNICATED COMMENT 'a ` alone' ON `order lines` (x)", 'order lines'))
  assert.ok(concerns('CREATE INDEX i FROBNICATED ON `-` (x)', '-'), 'a name without words may be anywhere')
  assert.ok(concerns(`CREATE INDEX i FROBNICATED ON /* ${'x'.repeat(5_000)} */ t (x)`, 't'), 'long after the start')
})

test('a word is not taken for a table whose name is a part of it', () => {
  assert.equal(concerns('CREATE INDEX i FROBNICATED ON other (x)', 't'), false)
  assert.equal(concerns('CREATE INDEX i FROBNICATED ON t2 (x)', 't'), false)
})

test('a name without a database is that of the session; a name with one may be of any', () => {
  assert.equal(concerns('CREATE INDEX i FROBNICATED ON t (x)', 't', 'other'), false)
  assert.ok(concerns('CREATE INDEX i FROBNICATED ON Shop.t (x)', 't', 'other'))
  assert.ok(concerns('CREATE INDEX i FROBNICATED ON `shop` . `t` (x)', 't', 'other'))
  assert.ok(concerns('CREATE INDEX i FROBNICATED ON t (x)', 't', null), 'the database of the session is not known')
})
