import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MySqlGtidSet } from './mysql-gtid-set.ts'

const A = '3e11fa47-71ca-11e1-9e33-c80aa9429562'
const B = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'

// gtid-set.server.test.ts compares sets with the server; this file tests what the server has no function for.

test('numbers beyond 2^53 are refused, not rounded', () => {
  for (const text of [`${A}:9007199254740993`, `${A}:1-9223372036854775806`, `${A}:9007199254740991`]) {
    assert.throws(() => MySqlGtidSet.parse(text), { code: 'GTID_MALFORMED', message: /beyond 2\^53/ })
  }
  assert.equal(MySqlGtidSet.parse(`${A}:9007199254740990`).toString(), `${A}:9007199254740990`)
})

test('a range merges with adjacent intervals, and a set is immutable', () => {
  const set = MySqlGtidSet.parse(`${A}:1-3:7`)

  assert.equal(set.withRange(A, 4, 6).toString(), `${A}:1-7`)
  assert.equal(set.withRange(A, 5, 5).toString(), `${A}:1-3:5:7`)
  assert.equal(set.withRange(B, 1, 2).toString(), `${A}:1-3:7,${B}:1-2`)
  assert.equal(set.withRange(`${A}:blue`, 1, 2).toString(), `${A}:1-3:7:blue:1-2`)
  assert.equal(set.toString(), `${A}:1-3:7`)
})

test('each source is listed once with its tags, and filtered by UUID', () => {
  const set = MySqlGtidSet.parse(`${B}:9,${A}:1:blue:2`)

  assert.deepEqual([...set.sourceIds].sort(), [A, B])
  assert.equal(set.filter((uuid) => uuid === A).toString(), `${A}:1:blue:2`)
  assert.equal(set.filter(() => false).isEmpty, true)
})

test('a set is encoded for the dump as counts, UUID and half-open intervals', () => {
  // COM_BINLOG_DUMP_GTID: int<8> sources · 16 bytes UUID · int<8> intervals · int<8> first, int<8> last + 1 …
  const expected = [
    '0100000000000000',
    '3e11fa4771ca11e19e33c80aa9429562',
    '0200000000000000',
    '01000000000000000600000000000000',
    '07000000000000000800000000000000',
  ]

  assert.equal(MySqlGtidSet.parse(`${A}:1-5:7`).encode().toString('hex'), expected.join(''))
  assert.equal(MySqlGtidSet.empty.encode().toString('hex'), '0000000000000000')
})
