import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TopicEvent } from '@tributary/rest-api'
import { indented, shortKey, summaryOf, wordOf } from '../../packages/ui/src/events/event-text.ts'

const keys: readonly (readonly [key: string | null, shown: string])[] = [
  [null, ''],
  ['{"id":7}', 'id=7'],
  ['{"id":9007199254740993,"region":"eu"}', 'id=9007199254740993, region="eu"'],
  // A value with the signs between members.
  ['{"note":"p,q=r"}', 'note="p,q=r"'],
  [String.raw`{"note":"\",\"id\":7"}`, String.raw`note="\",\"id\":7"`],
  ['{"note":"{x}","n":null,"ok":true,"d":-1.50}', 'note="{x}", n=null, ok=true, d=-1.50'],
  // Neither flat nor JSON: as it is.
  ['{"id":{"a":1}}', '{"id":{"a":1}}'],
  ['{"a=b":1}', '{"a=b":1}'],
  ['{id:7}', '{id:7}'],
  ['plain, text', 'plain, text'],
]

for (const [key, shown] of keys) {
  test(`the key ${key} in one line is ${shown}`, () => {
    assert.equal(shortKey(key), shown)
  })
}

test('JSON is indented without a change of its tokens', () => {
  const json = String.raw`{"a":9007199254740993,"b":[1.10,{"c":"x, {y}: \"z\""}],"d":{},"e":[]}`
  // Written by hand.
  const lines = [
    '{',
    '  "a": 9007199254740993,',
    '  "b": [',
    '    1.10,',
    '    {',
    String.raw`      "c": "x, {y}: \"z\""`,
    '    }',
    '  ],',
    '  "d": {},',
    '  "e": []',
    '}',
  ]
  assert.deepEqual(indented(json).split('\n'), lines)
})

test('an operation may have any name', () => {
  assert.deepEqual(wordOf({ op: 'u', isTombstone: false }), ['update', 'change'])
  assert.deepEqual(wordOf({ op: null, isTombstone: true }), ['tombstone', 'soft'])
  for (const op of ['constructor', '__proto__', 'toString', 'x']) {
    assert.deepEqual(wordOf({ op, isTombstone: false }), [op, 'soft'])
  }
})

const event: TopicEvent = {
  partition: 0,
  offset: '5',
  timestamp: 9,
  key: null,
  op: 'u',
  source: {},
  fields: [
    { name: 'id', before: '7', after: '7', isChanged: false },
    { name: 'name', before: '"a"', after: '"b"', isChanged: true },
  ],
  value: null,
  isTombstone: false,
  bytes: 9,
  isDocument: { key: true, value: false },
  note: null,
}

test('a line has what an update changed, the row of another event, or the value', () => {
  assert.equal(summaryOf(event), 'name: "a" → "b"')
  assert.equal(summaryOf({ ...event, op: 'd', fields: [{ name: 'id', before: '7', isChanged: false }] }), 'id=7')
  assert.equal(summaryOf({ ...event, op: null, fields: [], value: '2026-11-25 10:30' }), '2026-11-25 10:30')
  assert.equal(summaryOf({ ...event, op: null, fields: [], isTombstone: true }), '')
})
