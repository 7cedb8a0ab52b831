import { TableId } from '@tributary/connector-kit'
import type { MySqlTable } from '../schema/mysql-table.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { testCompiler } from '../testing/test-compiler.ts'

function tables(count: number): readonly MySqlTable[] {
  const interpreter = shopInterpreter()
  for (let i = 0; i < count; i++) interpreter.interpret(`CREATE TABLE t${i} (id INT PRIMARY KEY)`, { database: 'shop' })
  return [...interpreter.tables]
}

test('compiles a table once while it is among the last used', () => {
  const [a, b, c] = tables(3) as [MySqlTable, MySqlTable, MySqlTable]
  const compiler = testCompiler({ keptMax: 2 })
  const [first, second] = [compiler.compile(a), compiler.compile(b)]

  assert.equal(compiler.compile(a), first)
  compiler.compile(c)

  assert.equal(compiler.compile(a), first)
  const again = compiler.compile(b)
  assert.notEqual(again, second)
  assert.deepEqual([again.table.id, again.schema.topic], [TableId.of('shop', 't1'), 'p.shop.t1'])
})

test('compileOnce does not keep the table', () => {
  const [a] = tables(1) as [MySqlTable]
  const compiler = testCompiler({ keptMax: 2 })
  const once = compiler.compileOnce(a)

  assert.equal(once.schema.topic, 'p.shop.t0')
  assert.notEqual(compiler.compile(a), once)
})
