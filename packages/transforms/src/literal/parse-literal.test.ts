import { Schemas } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLiteral } from './parse-literal.ts'

// Literals with a schema are compared with Kafka's class: kafka/timestamp-converter.test.ts. For these Connect has lists
// and maps of no type, which our schemas do not have.

const UNTYPED: readonly (readonly [literal: string, value: unknown])[] = [
  ['[]', []],
  ['[null]', [null]],
  ['[1, "a"]', [1, 'a']],
  // A float prints as the digits of the literal.
  ['[1.1, "a"]', [1.1, 'a']],
  ['{}', new Map()],
  ['{"a":null}', new Map([['a', null]])],
  [
    '{"a":1,"b":"x"}',
    new Map<string, unknown>([
      ['a', 1],
      ['b', 'x'],
    ]),
  ],
]

for (const [literal, value] of UNTYPED) {
  test(`${literal} has no schema`, () => {
    assert.deepEqual(parseLiteral(literal), { schema: null, value })
  })
}

test('a literal of too many levels is a text', () => {
  const deep = '['.repeat(100_000)
  assert.deepEqual(parseLiteral(deep), { schema: Schemas.string, value: deep })
})
