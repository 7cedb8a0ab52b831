import assert from 'node:assert/strict'
import { test } from 'node:test'
import { comparePlaces } from './binlog-place.ts'

const cases: readonly (readonly [a: string, b: string, expected: number])[] = [
  ['binlog.000001:4', 'binlog.000001:4', 0],
  ['binlog.000001:4', 'binlog.000001:5', -1],
  ['binlog.000002:4', 'binlog.000001:900', 1],
  // After a million files the numbers have more digits.
  ['binlog.999999:4', 'binlog.1000000:4', -1],
]

for (const [a, b, expected] of cases) {
  test(`${a} compared with ${b}: ${expected}`, () => {
    const place = (text: string): { file: string; position: number } => {
      const [file = '', position = ''] = text.split(':')
      return { file, position: Number(position) }
    }
    assert.equal(Math.sign(comparePlaces(place(a), place(b))), expected)
  })
}
