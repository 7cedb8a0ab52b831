import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExactly } from '../forms/json-value.ts'
import { parseFilter } from './event-filter.ts'

const key = '{"id":7,"region":"eu"}'
const value =
  '{"before":{"id":7,"name":"Mei","total":99.5,"n":9007199254740993},"after":{"id":7,"name":"Mei Tanaka","total":100,"n":9007199254740993,"x":null,"price":"99.50","bytes":"Jt4=","注文":5,"order-id":5,"big":1e400,"list":[1]},"op":"u","source":{"file":"binlog.000003"}}'
const record = {
  partition: 2,
  offset: 9_007_199_254_740_995n,
  key: parseExactly(key),
  keyText: key,
  value: parseExactly(value),
  valueText: value,
}

const cases: readonly (readonly [filter: string, isFound: boolean])[] = [
  ['', true],
  ['mei', true],
  ['TANAKA', true],
  ['"mei tanaka"', true],
  ['"tanaka mei"', false],
  ['mei nobody', false],
  ['op=u', true],
  ['op=c', false],
  ['op!=c', true],
  ['op!=u', false],
  // A record without the field is not one whose field differs.
  ['nothing!=1', false],
  ['after.total=100', true],
  ['before.total=100', false],
  ['total=99.5', true],
  ['total>=100', true],
  ['after.total>99', true],
  ['after.total<20', false],
  ['after.name="Mei Tanaka"', true],
  ['after.x=null', true],
  ['key.id=7', true],
  ['region=eu', true],
  ['source.file=binlog.000003', true],
  ['partition=2', true],
  // As doubles, these numbers would equal their neighbours.
  ['after.n=9007199254740993', true],
  ['after.n=9007199254740992', false],
  ['after.n>9007199254740992', true],
  ['offset=9007199254740995', true],
  ['offset>9007199254740995', false],
  ['after.__proto__=1', false],
  ['after.__proto__={}', false],
  ['after.constructor!=1', false],
  // NULL, texts and bytes are no numbers, and have no place among them.
  ['after.x>100', false],
  ['after.x<100', false],
  ['after.x!=100', true],
  ['after.x>a', false],
  ['after.name>100', false],
  ['after.name<100', false],
  ['after.name>Mei', true],
  ['after.bytes>100', false],
  ['after.bytes<100', false],
  ['after.bytes=Jt4=', true],
  ['after.list>0', false],
  ['after.list=[1]', true],
  // A number has more than one spelling.
  ['price=99.5', true],
  ['price=9.95e1', true],
  ['price!=99.5', false],
  ['price>99.5', false],
  ['price>=99.5', true],
  ['price<99.50000000000000000001', true],
  ['total=100.0', true],
  ['total=+100', true],
  ['after.total>-1', true],
  ['after.big>1e399', true],
  ['after.big<2e400', true],
  // `!=` finds what `=` does not find, of the records with the field.
  ['total!=100', false],
  ['total!=99.5', false],
  ['total!=7', true],
  ['注文=5', true],
  ['注文>5', false],
  ['order-id=5', true],
]

for (const [filter, isFound] of cases) {
  test(`${filter === '' ? 'nothing' : filter} ${isFound ? 'finds' : 'does not find'} the record`, () => {
    assert.equal(parseFilter(filter)(record), isFound)
  })
}

test('a tombstone and a text that is no document are found by words only', () => {
  const tombstone = { ...record, value: undefined, valueText: null }
  assert.equal(parseFilter('key.id=7')(tombstone), true)
  assert.equal(parseFilter('op=u')(tombstone), false)
  const plain = { ...tombstone, key: undefined, keyText: 'order 12' }
  assert.equal(parseFilter('order')(plain), true)
  assert.equal(parseFilter('id=7')(plain), false)
})
