import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTextMapDocument } from './json-values.ts'

/** The answers of Kafka Connect 4.3.1 to such bodies of `PUT /connectors/{connector}/config`. */
const refused: readonly (readonly [what: string, body: () => string, message: string])[] = [
  ['a string over the limit', () => `{"a":"${'y'.repeat(20_000_001)}"}`, 'String value length (20000001)'],
  ['a string far over the limit', () => `{"a":"${'y'.repeat(20_060_000)}"}`, 'String value length (20051112)'],
  ['a string of two-byte characters', () => `{"a":"${'é'.repeat(20_000_001)}"}`, 'String value length (20000001)'],
  ['a string of surrogate pairs', () => `{"a":"${'😀'.repeat(10_000_001)}"}`, 'String value length (20000002)'],
  ['a string with an escape', () => `{"a":"\\n${'y'.repeat(20_060_000)}"}`, 'String value length (20051112)'],
  ['a name over the limit', () => `{"${'k'.repeat(50_001)}":1}`, 'Name length (50001)'],
  ['a name of two-byte characters', () => `{"${'é'.repeat(25_001)}":1}`, 'Name length (50002)'],
  // Kafka Connect reports 65536, the bytes that it has read so far.
  ['a long name of two-byte characters', () => `{"${'é'.repeat(50_001)}":1}`, 'Name length (100002)'],
  ['a number over the limit', () => `{"a":${'9'.repeat(1_001)}}`, 'Number value length (1001)'],
]

for (const [what, body, message] of refused) {
  test(`refuses ${what} with its length`, () => {
    assert.throws(() => read(body()), {
      name: 'JsonError',
      message: new RegExp(`^${escape(message)} exceeds the maximum`),
    })
  })
}

test('refuses a long string that never ends', () => {
  assert.throws(() => read(`{"a":"${'y'.repeat(20_060_000)}`), {
    message: /^Unexpected end-of-input in VALUE_STRING\n/,
  })
})

test('accepts a string, a name and a number of the greatest length', () => {
  const [text, name, number] = ['y'.repeat(20_000_000), 'k'.repeat(50_000), `-0.${'9'.repeat(999)}`]
  const map = read(`{"a":"${text}","${name}":${number}}`)
  assert.equal(map?.get('a') === text, true)
  assert.equal(map?.get(name), number)
})

function read(text: string): ReadonlyMap<string, string | null> | null {
  return readTextMapDocument(Buffer.from(text))
}

function escape(text: string): string {
  return text.replaceAll(/[()]/g, String.raw`\$&`)
}
