import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notComparedNotes } from './not-compared.ts'

const ALL = {
  late: 0,
  unplaced: 0,
  unreached: 0,
  skipped: 0,
  isPollFailing: false,
  full: null,
  dropped: 0,
  compared: 5,
  avro: [],
}

test('a rehearsal that compared everything has nothing to note', () => {
  assert.deepEqual(notComparedNotes(ALL), [])
})

for (const [found, text] of [
  [{ late: 2 }, /^2 records that Kafka Connect had not sent/],
  [{ unplaced: 2 }, /^2 records of topics without a known source position/],
  [{ unreached: 2 }, /^2 records that Kafka Connect wrote meanwhile/],
  [{ skipped: 2 }, /^2 records that failed and were skipped/],
  [{ isPollFailing: true }, /could not be read/],
  [{ full: 'theirs' }, /memory holds: the rehearsal lags/],
  [{ full: 'ours' }, /memory holds: Kafka Connect lags/],
  [{ compared: 0 }, /^anything/],
  [{ avro: ['keys'] }, /^the schemas of keys in the registry/],
] as const) {
  test(`${JSON.stringify(found)} is noted, so that the rehearsal is not proof`, () => {
    const notes = notComparedNotes({ ...ALL, ...found })
    assert.equal(notes.length, 1)
    assert.match(notes[0] ?? '', text)
  })
}
