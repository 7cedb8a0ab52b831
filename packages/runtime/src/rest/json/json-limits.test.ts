import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTextMapDocument } from './json-mapping.ts'
import { JsonTokenizer } from './json-tokenizer.ts'

/** What Kafka Connect 4.3.1 said to such bodies of `PUT /connectors/{connector}/config`. */
const refused: readonly (readonly [what: string, body: () => string, message: string])[] = [
  ['a string over the limit', () => `{"a":"${'y'.repeat(20_000_001)}"}`, 'String value length (20000001)'],
  ['a string far over the limit', () => `{"a":"${'y'.repeat(20_060_000)}"}`, 'String value length (20051112)'],
  ['a string that never ends', () => `{"a":"${'y'.repeat(20_060_000)}`, 'String value length (20051112)'],
  ['a string of two-byte characters', () => `{"a":"${'é'.repeat(20_000_001)}"}`, 'String value length (20000001)'],
  ['a string of surrogate pairs', () => `{"a":"${'😀'.repeat(10_000_001)}"}`, 'String value length (20000002)'],
  ['a string with an escape', () => `{"a":"\\n${'y'.repeat(20_060_000)}"}`, 'String value length (20051112)'],
  ['a name over the limit', () => `{"${'k'.repeat(50_001)}":1}`, 'Name length (50001)'],
  ['a name of two-byte characters', () => `{"${'é'.repeat(25_001)}":1}`, 'Name length (50002)'],
  ['a long name of them', () => `{"${'é'.repeat(50_001)}":1}`, 'Name length (65536)'],
  ['a number over the limit', () => `{"a":${'9'.repeat(1_001)}}`, 'Number value length (1001)'],
]

for (const [what, body, message] of refused) {
  test(`refuses ${what} with the length that Jackson has read`, () => {
    assert.throws(() => read(body()), {
      name: 'JsonError',
      message: new RegExp(`^${escape(message)} exceeds the maximum`),
    })
  })
}

test('takes what is just within the limits', () => {
  const [text, name, number] = ['y'.repeat(20_000_000), 'k'.repeat(50_000), `-0.${'9'.repeat(999)}`]
  const map = read(`{"a":"${text}","${name}":${number}}`)
  assert.equal(map?.get('a') === text, true)
  assert.equal(map?.get(name), number)
})

function read(text: string): ReadonlyMap<string, string | null> | null {
  return readTextMapDocument(new JsonTokenizer(Buffer.from(text)))
}

function escape(text: string): string {
  return text.replaceAll(/[()]/g, String.raw`\$&`)
}
