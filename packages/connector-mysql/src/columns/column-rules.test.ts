import { EncodedText } from '@tributary/connect-api'
import { TableId } from '@tributary/connector-kit'
import { requireCharset } from '@tributary/mysql'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { namedColumnRefusals } from '../config/column-keys.ts'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { ColumnRules } from './column-rules.ts'
import { keyColumnsRefusal } from './key-columns.ts'

const id = TableId.of('shop', 'people')

function tableOf(sql: string): MySqlTable {
  const interpreter = shopInterpreter()
  interpreter.interpret(sql, { database: 'shop' })
  const [table] = [...interpreter.tables]
  assert.ok(table !== undefined)
  return table
}

const people = tableOf(
  `CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(40), ssn CHAR(11), note TEXT, kind ENUM('a','b'), n INT UNSIGNED)`,
)

/** What becomes of a value. As the bytes of a row it becomes the same. */
function masked(properties: Record<string, string>, column: string, value: string | null): unknown {
  const found = people.columns.find(({ name }) => name === column)
  assert.ok(found !== undefined)
  const { mask } = new ColumnRules(properties).treatmentOf(id, found)
  if (mask === null) return value
  const result = mask(value)
  if (value !== null) {
    const bytes = Buffer.from(`<${value}>`)
    const ofBytes = mask(new EncodedText(bytes, 1, bytes.length - 1, requireCharset('utf8mb4', column)))
    assert.equal(ofBytes instanceof EncodedText ? ofBytes.toString() : ofBytes, result)
  }
  return result
}

test('the lists match whole names in any case', () => {
  const included = new ColumnRules({ 'column.include.list': 'shop.people.(ID|name)' })
  assert.deepEqual(
    ['id', 'name', 'name2', 'ssn'].map((column) => included.includes(id, column)),
    [true, true, false, false],
  )
  const excluded = new ColumnRules({ 'column.exclude.list': '.*[.]ssn, shop\\.people\\.na.*' })
  assert.deepEqual(
    ['id', 'name', 'ssn'].map((column) => excluded.includes(id, column)),
    [true, false, false],
  )
})

test('asterisks replace NULL too; a truncated text has Java’s characters; only text is changed', () => {
  const all = '.*'
  assert.equal(masked({ 'column.mask.with.5.chars': all }, 'name', null), '*****')
  assert.equal(masked({ 'column.mask.with.0.chars': all }, 'note', 'x'), '')
  assert.equal(masked({ 'column.truncate.to.3.chars': all }, 'name', 'a😀b'), 'a😀')
  assert.equal(masked({ 'column.truncate.to.3.chars': all }, 'name', null), null)
  assert.equal(masked({ 'column.truncate.to.3.chars': all }, 'name', 'abc'), 'abc')
  assert.equal(masked({ 'column.truncate.to.3.chars': all }, 'name', 'abcd'), 'abc')
  assert.equal(masked({ 'column.mask.with.5.chars': all }, 'n', '17'), '17')
})

test('the parameters of schemas are those of the first property that names the column, as in Debezium', () => {
  const parametersOf = (properties: Record<string, string>, column: string): unknown => {
    const found = people.columns.find(({ name }) => name === column)
    assert.ok(found !== undefined)
    return new ColumnRules(properties).treatmentOf(id, found).parameters
  }
  const source = { '__debezium.source.column.type': 'INT UNSIGNED', '__debezium.source.column.name': 'n' }
  const all: Record<string, string> = { 'datatype.propagate.source.type': String.raw`shop\.people\.int.*` }
  assert.deepEqual(parametersOf(all, 'n'), source)
  assert.deepEqual(parametersOf({ 'datatype.propagate.source.type': String.raw`shop\.int.*` }, 'n'), {})
  // A column that is not text is not masked, but its schema has the parameter.
  assert.deepEqual(parametersOf({ ...all, 'column.mask.with.5.chars': '.*' }, 'n'), { masked: 'true' })
  assert.deepEqual(parametersOf({ ...all, 'column.truncate.to.5.chars': '.*' }, 'n'), { truncateLength: '5' })
  assert.deepEqual(parametersOf({ ...all, 'column.truncate.to.5.chars': '.*' }, 'name'), { truncateLength: '5' })
  assert.deepEqual(parametersOf({ 'column.truncate.to.40.chars': '.*' }, 'name'), {})
})

test('a mask has its effect on a text also where Debezium applies another property instead', () => {
  const masks: Record<string, string> = { 'column.mask.hash.v2.MD5.with.salt.x': '.*' }
  const digits = masked(masks, 'name', 'Ann')
  for (const other of ['column.truncate.to.2.chars', 'column.propagate.source.type']) {
    assert.equal(masked({ [other]: '.*', ...masks }, 'name', 'Ann'), digits)
  }
})

test('texts of types that only MariaDB has are masked', () => {
  const address = { jdbcType: 1111, typeName: 'INET6' }
  const [column] = people.columns
  assert.ok(column !== undefined)
  for (const [properties, expected] of [
    [{ 'column.mask.with.3.chars': '.*' }, '***'],
    [{ 'column.mask.hash.v2.MD5.with.salt.x': '.*' }, createHash('md5').update('x::1').digest('hex')],
  ] as const) {
    const { mask, parameters } = new ColumnRules(properties).treatmentOf(id, { ...column, ...address, length: null })
    assert.deepEqual([mask?.('::1'), parameters], [expected, { masked: 'true' }])
  }
})

test('a truncation shortens bytes, too', () => {
  const [blob] = tableOf('CREATE TABLE b (b BLOB)').columns
  assert.ok(blob !== undefined)
  const { mask } = new ColumnRules({ 'column.truncate.to.2.chars': '.*' }).treatmentOf(id, blob)
  assert.deepEqual(mask?.(Buffer.from('abc')), Buffer.from('ab'))
})

test('hashes are those of sha256sum and md5sum; they are no longer than the column', () => {
  const tool = (program: string, text: string): string =>
    execFileSync(program, { input: text, encoding: 'utf8' }).split(' ')[0] ?? ''
  const v2 = (algorithm: string) => ({ [`column.mask.hash.v2.${algorithm}.with.salt.pepper`]: 'shop.people.*' })
  assert.equal(masked(v2('SHA-256'), 'note', 'Zoë'), tool('sha256sum', 'pepperZoë'))
  assert.equal(masked(v2('SHA-256'), 'name', 'Zoë'), tool('sha256sum', 'pepperZoë').slice(0, 40))
  assert.equal(masked(v2('MD5'), 'ssn', '1'), tool('md5sum', 'pepper1').slice(0, 11))
  assert.equal(masked(v2('MD5'), 'note', null), null)
  for (const text of ['', 'Ann', 'nul \0 inside', 'x'.repeat(1_024), 'y'.repeat(1_025), 'z'.repeat(70_000)]) {
    assert.equal(masked(v2('SHA-256'), 'note', text), tool('sha256sum', `pepper${text}`))
  }
})

test('a hash is that of its own text, also after the same one, one of the same length, and one that is not ASCII', () => {
  const [column] = tableOf('CREATE TABLE t (t TEXT)').columns
  assert.ok(column !== undefined)
  const properties = { 'column.mask.hash.v2.SHA-256.with.salt.x': '.*' }
  const { mask } = new ColumnRules(properties).treatmentOf(id, column)
  for (const text of ['abc', 'abc', 'abd', '', '', 'ab', 'abc', 'äb', 'abc', 'abcd', 'abc']) {
    const bytes = Buffer.from(text)
    const digits = mask?.(new EncodedText(bytes, 0, bytes.length, requireCharset('utf8mb4', 't')))
    assert.equal(digits, createHash('sha256').update(`x${text}`).digest('hex'), text)
  }
})

test('the first version of hashes is that of the serialized string (recorded from Debezium: script 17, variant hash)', () => {
  const properties = { 'column.mask.hash.SHA-256.with.salt.CzQMA0cB5K': '.*' }
  assert.equal(masked(properties, 'name', 'Ann Example'), 'b3ea26d5eb496f06764a978fc207d255f7606a0c')
  assert.equal(masked(properties, 'name', '😀😀😀😀😀'), 'a201cd46f48105194c9779c90ac613350ff93a91')
  // Java has two bytes for NUL, and a longer head from 65,536 bytes on.
  for (const text of ['nul \0 inside', 'x'.repeat(1_024), 'y'.repeat(1_025), 'z'.repeat(70_000)]) {
    masked(properties, 'name', text)
  }
})

test('keys are the columns that a rule lists, in its order', () => {
  const rules = new ColumnRules({ 'message.key.columns': 'shop.people:ssn,ID; other.t:x' })
  assert.deepEqual(rules.keyOf(people), ['ssn', 'id'])
  assert.equal(rules.keyOf({ ...people, id: TableId.of('shop', 'orders') }), null)
  assert.equal(keyColumnsRefusal('a.b:c;a.d:e,f'), null)
  assert.match(keyColumnsRefusal('a.b') ?? '', /invalid format/)
  assert.match(keyColumnsRefusal('a.(b:c') ?? '', /\(/)
})

test('a misspelt mask is refused: it would publish what it should hide', () => {
  const refused = (name: string, value = 'a.b.c'): readonly string[] =>
    Object.keys(namedColumnRefusals({ [name]: value }))
  for (const name of [
    'column.mask.with.x.chars',
    'column.mask.5.chars',
    'column.truncate.to.chars',
    'column.mask.hash.SHA-256',
    'column.mask.hash.v2.SHA-257.with.salt.x',
  ]) {
    assert.deepEqual(refused(name), [name])
  }
  assert.deepEqual(refused('column.mask.with.5.chars', '('), ['column.mask.with.5.chars'])
  assert.deepEqual(refused('column.mask.hash.v2.SHA-512.with.salt.a.b'), [])
})
