import assert from 'node:assert/strict'
import { test } from 'node:test'
import { civilDate, daysOf } from './civil-date.ts'

test('dates are those of JavaScript', () => {
  // Eight centuries around 1970, in steps that meet all months.
  for (let days = -150_000; days <= 150_000; days += 13) {
    const text = new globalThis.Date(days * 86_400_000).toISOString()
    const date = { year: Number(text.slice(0, 4)), month: Number(text.slice(5, 7)), day: Number(text.slice(8, 10)) }
    assert.deepEqual(civilDate(days), date)
    assert.equal(daysOf(date), days)
  }
})

test('the ends of centuries and of the years that the databases have', () => {
  // java.time.LocalDate.of(…).toEpochDay()
  const table: readonly (readonly [year: number, month: number, day: number, days: number])[] = [
    [0, 1, 1, -719_528],
    [0, 2, 29, -719_469],
    [1, 1, 1, -719_162],
    [1900, 2, 28, -25_509],
    [1900, 3, 1, -25_508],
    [2000, 2, 29, 11_016],
    [9999, 12, 31, 2_932_896],
    [-1, 12, 31, -719_529],
  ]
  for (const [year, month, day, days] of table) {
    assert.equal(daysOf({ year, month, day }), days)
    assert.deepEqual(civilDate(days), { year, month, day })
  }
})
