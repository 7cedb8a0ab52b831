import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placesToSearch } from './places-to-search.ts'

const BEFORE = { file: 'b.000011', position: 900 }

for (const [what, onServer, spooled, expected] of [
  ['without a spool, the files of the server', [9, 10, 11, 12], null, ['9:4', '10:4', '11:4']],
  ['files that the server has, too, are read as a whole', [9, 10, 11], '9:700', ['9:4', '10:4', '11:4']],
  ['the spool has what was purged', [11, 12], '8:700', ['8:700', '9:4', '10:4', '11:4']],
  ['everything was purged', [12, 13], '10:700', ['10:700', '11:4']],
  ['the spool begins after the place', [12], '11:900', []],
] as const) {
  test(`where a prepared transaction is looked for: ${what}`, () => {
    const nameOf = (number: number | string): string => `b.${String(number).padStart(6, '0')}`
    const [file, position] = spooled?.split(':') ?? []
    const first = file === undefined ? null : { file: nameOf(file), position: Number(position) }
    const places = placesToSearch(onServer.map(nameOf), first, BEFORE)
    assert.deepEqual(
      places.map((place) => `${Number(place.file.slice(2))}:${place.position}`),
      expected,
    )
  })
}
