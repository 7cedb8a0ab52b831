import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysSince1970 } from './civil-time.ts'
import { utcOf } from './session-zone.ts'
import { parseDatetimeLiteral } from './temporal-literals.ts'

/** Seconds since 1970 of a time in UTC. */
function at(text: string): number {
  const { date, microsOfDay } = parseDatetimeLiteral(text) ?? { date: 0, microsOfDay: 0 }
  return daysSince1970(date) * 86_400 + microsOfDay / 1e6
}

test('fixed offsets and zones with names', () => {
  const cases = [
    ['2020-06-01T12:00:00', '+05:30', '2020-06-01T06:30:00'],
    ['2020-06-01T12:00:00', '-11:00', '2020-06-01T23:00:00'],
    ['2020-06-01T12:00:00', '+00:00', '2020-06-01T12:00:00'],
    ['2020-06-01T12:00:00', 'UTC', '2020-06-01T12:00:00'],
    // IANA's data: summer and winter.
    ['2020-06-01T12:00:00', 'Europe/Berlin', '2020-06-01T10:00:00'],
    ['2020-01-01T00:30:00', 'Europe/Berlin', '2019-12-31T23:30:00'],
    ['2020-01-01T00:00:00', 'Asia/Kolkata', '2019-12-31T18:30:00'],
    ['2020-01-01T00:00:00', 'Pacific/Apia', '2019-12-31T10:00:00'],
  ] as const
  for (const [local, zone, utc] of cases) assert.equal(utcOf(at(local), zone), at(utc), zone)
})

test('times that clocks skip or repeat, and unknown zones, have no instant', () => {
  assert.equal(utcOf(at('2020-03-29T02:30:00'), 'Europe/Berlin'), null)
  assert.equal(utcOf(at('2020-10-25T02:30:00'), 'Europe/Berlin'), null)
  assert.equal(utcOf(at('2020-10-25T01:59:59'), 'Europe/Berlin'), at('2020-10-24T23:59:59'))
  for (const zone of ['SYSTEM', 'Mars/Base', '']) assert.equal(utcOf(at('2020-06-01T12:00:00'), zone), null, zone)
})
