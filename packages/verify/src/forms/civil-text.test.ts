import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateText, dateTimeText, isExistingDate, timeText, withDigits } from './civil-text.ts'

test('days since 1970 have the dates that the server prints', () => {
  // SELECT TO_DAYS(date) - TO_DAYS('1970-01-01') of MySQL 9.7.
  const days = [
    ['0001-01-01', -719_162],
    ['1582-10-15', -141_427],
    ['1969-12-31', -1],
    ['1970-01-01', 0],
    ['2000-02-29', 11_016],
    ['2026-11-25', 20_782],
    ['9999-12-31', 2_932_896],
  ] as const
  assert.deepEqual(
    days.map(([, day]) => dateText(day)),
    days.map(([date]) => date),
  )
  assert.equal(dateText(2_932_897), null)
})

test('times have the digits of their column', () => {
  assert.equal(dateTimeText(-1n, 6), '1969-12-31 23:59:59.999999')
  assert.equal(dateTimeText(1_500_000n, 1), '1970-01-01 00:00:01.5')
  assert.equal(timeText(-3_020_399_000_000n, 0), '-838:59:59')
  assert.equal(timeText(1n, 6), '00:00:00.000001')
  assert.equal(withDigits('12:00:00', 3), '12:00:00.000')
  assert.equal(withDigits('12:00:00.123456', 0), '12:00:00')
})

test('dates that do not exist are recognized', () => {
  const dates = ['0000-00-00', '2026-02-30', '2026-00-01', '1900-02-29', '2000-02-29', '2026-11-25 10:00:00']
  assert.deepEqual(dates.map(isExistingDate), [false, false, false, false, true, true])
})
