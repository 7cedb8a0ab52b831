import { RegexList } from '@tributary/connector-kit'
import type { TableMap } from '@tributary/mysql'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableFilter } from '../config/table-filter.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { testCompiler } from '../testing/test-compiler.ts'
import { RowBindings } from './row-bindings.ts'
import { NOT_CAPTURED, type RowBinding } from './row-binding.ts'

const NONE = new RegexList('')
const LONG = { type: 3, meta: 0 }

/** The map of a table whose first column is NOT NULL, as a primary key is, and whose others are nullable. */
function mapOf(table: string, columns: number): TableMap {
  const nullable = Buffer.from([0xff << 1])
  return { database: 'shop', table, columns: Array.from({ length: columns }, () => LONG), tail: nullable }
}

/** All tables of `shop` but `other` are captured. */
function shop(): { readonly bindings: RowBindings; readonly run: (sql: string) => void } {
  const interpreter = shopInterpreter()
  const run = (sql: string): void => {
    interpreter.interpret(sql, { database: 'shop' })
  }
  run('CREATE TABLE t (id INT PRIMARY KEY, a INT)')
  run('CREATE TABLE u (id INT PRIMARY KEY)')
  const filter = new TableFilter({
    databaseInclude: NONE,
    databaseExclude: NONE,
    tableInclude: NONE,
    tableExclude: new RegexList('shop[.]other'),
  })
  const options = {
    config: { filter },
    tables: interpreter.tables,
    compiler: testCompiler({ keptMax: 10 }),
    isStopped: () => false,
  }
  return { bindings: new RowBindings(options), run }
}

function reasonOf(binding: RowBinding): string {
  assert.ok(binding.tag === 'unknown', `it is ${binding.tag}`)
  return binding.reason
}

function columnsOf(binding: RowBinding): readonly string[] {
  assert.ok(binding.tag === 'captured', `it is ${binding.tag}`)
  return binding.captured.table.columns.map(({ name }) => name)
}

test('under the same map, rows of a table that was changed are read by its new columns, and those of others as before', () => {
  const { bindings, run } = shop()
  const [t, u] = [mapOf('t', 2), mapOf('u', 1)]
  const [first, other] = [bindings.of(t), bindings.of(u)]
  assert.deepEqual(columnsOf(first), ['id', 'a'])
  assert.equal(bindings.of(t), first)

  run('ALTER TABLE t RENAME COLUMN a TO b')

  assert.deepEqual(columnsOf(bindings.of(t)), ['id', 'b'])
  assert.equal(bindings.of(u), other)
  assert.equal(bindings.of(u), other)
})

test('a table that is dropped, created again or renamed to the name of another is bound anew', () => {
  const { bindings, run } = shop()
  const t = mapOf('t', 2)
  bindings.of(t)
  run('DROP TABLE t')
  assert.match(reasonOf(bindings.of(t)), /no statement that the connector has read defines it/)

  run('CREATE TABLE t (k INT PRIMARY KEY, v INT)')
  assert.deepEqual(columnsOf(bindings.of(t)), ['k', 'v'])

  run('CREATE TABLE s (x INT PRIMARY KEY, y INT)')
  run('RENAME TABLE t TO old, s TO t')
  assert.deepEqual(columnsOf(bindings.of(t)), ['x', 'y'])

  run('DROP DATABASE shop')
  assert.match(reasonOf(bindings.of(t)), /no statement that the connector has read defines it/)
})

test('a map that fits no table has a reason each time, until the table is changed', () => {
  const { bindings, run } = shop()
  const wider = mapOf('t', 3)
  for (let time = 0; time < 2; time++) assert.match(reasonOf(bindings.of(wider)), /has 2 columns, the binlog 3/)
  run('ALTER TABLE t ADD COLUMN c INT')
  assert.deepEqual(columnsOf(bindings.of(wider)), ['id', 'a', 'c'])
})

test('tables that are not captured are not looked up, and an answer of the server is kept until the table is changed', () => {
  const { bindings, run } = shop()
  assert.equal(bindings.of(mapOf('other', 1)), NOT_CAPTURED)

  const unknown = mapOf('unknown', 2)
  reasonOf(bindings.of(unknown))
  bindings.set(unknown, NOT_CAPTURED)
  run('CREATE TABLE elsewhere (id INT PRIMARY KEY)')
  assert.equal(bindings.of(unknown), NOT_CAPTURED)
  run('CREATE TABLE unknown (id INT PRIMARY KEY, n INT)')
  assert.deepEqual(columnsOf(bindings.of(unknown)), ['id', 'n'])
})

test('forgetRefused lets refused maps be compared again, and no others', () => {
  const { bindings } = shop()
  const [wider, t] = [mapOf('t', 3), mapOf('t', 2)]
  const binding = bindings.of(t)
  reasonOf(bindings.of(wider))
  bindings.refuse(wider)
  assert.equal(bindings.of(wider), NOT_CAPTURED)

  bindings.forgetRefused()

  reasonOf(bindings.of(wider))
  assert.equal(bindings.of(t), binding)
  bindings.refuse(wider)
  assert.equal(bindings.of(wider), NOT_CAPTURED)
})
