import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMariaDbGtid, MariaDbGtidSet, parseMariaDbGtid } from './mariadb-gtid-set.ts'

test('a GTID is domain-server-sequence, with the integer widths of the server', () => {
  const gtid = parseMariaDbGtid('4294967295-4294967295-18446744073709551615')

  assert.deepEqual(gtid, { domain: 4_294_967_295, server: 4_294_967_295, sequence: 18_446_744_073_709_551_615n })
  assert.equal(formatMariaDbGtid(gtid), '4294967295-4294967295-18446744073709551615')
  for (const text of [
    '',
    '1',
    '1-2',
    '1-2-3-4',
    'a-1-2',
    '-1-1-1',
    '4294967296-1-1',
    '1-4294967296-1',
    '1-1-18446744073709551616',
  ]) {
    assert.throws(() => parseMariaDbGtid(text), { code: 'GTID_MALFORMED' }, text)
  }
})

test('a transaction replaces its domain’s position, whichever server wrote it', () => {
  const set = MariaDbGtidSet.parse('0-1-100,1-2-5')

  assert.equal(set.with(parseMariaDbGtid('0-7-101')).toString(), '1-2-5,0-7-101')
  assert.equal(set.with(parseMariaDbGtid('2-1-1')).toString(), '0-1-100,1-2-5,2-1-1')
  assert.equal(set.toString(), '0-1-100,1-2-5')
})

test('the highest sequence of a domain is its progress', () => {
  const stored = MariaDbGtidSet.parse('0-1-100,0-2-90,1-2-5')

  assert.equal(stored.last(0)?.sequence, 100n)
  assert.equal(stored.last(9), null)
  assert.deepEqual(stored.domains, [0, 1])
})

const RELATIONS: readonly [left: string, right: string, isSubset: boolean][] = [
  ['', '', true],
  ['', '0-1-1', true],
  ['0-1-1', '', false],
  ['0-1-5', '0-1-5', true],
  ['0-1-5', '0-9-6', true],
  ['0-1-5', '0-1-4', false],
  ['0-1-5', '0-1-9,1-1-1', true],
  ['0-1-5,1-1-2', '0-1-9,1-1-1', false],
  ['0-1-18446744073709551614', '0-1-18446744073709551615', true],
]

for (const [left, right, isSubset] of RELATIONS) {
  test(`${left || 'nothing'} is ${isSubset ? '' : 'not '}contained in ${right || 'nothing'}`, () => {
    assert.equal(MariaDbGtidSet.parse(left).isSubsetOf(MariaDbGtidSet.parse(right)), isSubset)
  })
}

test('positions that contain each other are equal', () => {
  assert.equal(MariaDbGtidSet.parse('0-1-5,1-1-2').equals(MariaDbGtidSet.parse(' 1-1-2 , 0-1-5 ,')), true)
  assert.equal(MariaDbGtidSet.parse('0-1-5').equals(MariaDbGtidSet.parse('0-1-6')), false)
  assert.equal(MariaDbGtidSet.parse('').isEmpty, true)
})
