import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertSameOutcome, recordedCases } from '../../testing/oracle-cases.ts'
import { timezoneConverterPlugin } from './timezone-converter.ts'
import { timeIn } from './zoned-text.ts'
import { zoneOffsets } from './zone-offsets.ts'

/** What Debezium 3.6.1 does: fixtures/cases/timezone-converter.ts. */
const cases = recordedCases('timezone-converter')
const deviations = { 'unknown zone +25:00': 'Debezium throws at the first event' }

for (const recorded of cases) {
  test(`${recorded.name}: the same records as Debezium’s class makes`, () => {
    assertSameOutcome(recorded, { plugins: [timezoneConverterPlugin], deviations })
  })
}

// 2026-07-01 and 2026-12-01, 00:00 UTC.
test('offsets in summer and winter are those of the IANA database', () => {
  const berlin = zoneOffsets('Europe/Berlin')
  assert.equal(berlin?.at(1_782_864_000_000), 7200)
  assert.equal(berlin?.at(1_796_083_200_000), 3600)
})

test('a time of day gets the offset of the zone', () => {
  assert.equal(timeIn(7200, '23:30:00.250Z'), '01:30:00.25+02:00')
  assert.equal(timeIn(-16_200, '01:00-01:00'), '21:30:00-04:30')
})
