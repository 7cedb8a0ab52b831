import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RowMarkers } from './row-markers.ts'

// Debezium's markers, in the order of its rules: last, first, last of the table, first of the table.

function markers(): { readonly marks: RowMarkers<string, number>; readonly given: readonly string[] } {
  const given: string[] = []
  const marks = new RowMarkers<string, number>((table, row, marker) => given.push(`${table}${row} ${marker}`))
  return { marks, given }
}

test('tables that are read one after the other', () => {
  const { marks, given } = markers()
  for (const [table, rows] of [
    ['a', [1, 2, 3]],
    ['none', []],
    ['b', [1]],
    ['c', [1, 2]],
  ] as const) {
    const marked = marks.beginTable(table)
    for (const row of rows) marks.push(marked, row)
    marks.endTable(marked)
  }
  marks.end()
  assert.deepEqual(given, [
    'a1 first',
    'a2 true',
    'a3 last_in_data_collection',
    'b1 last_in_data_collection',
    'c1 first_in_data_collection',
    'c2 last',
  ])
})

test('tables that are read at the same time: each has a first and a last row, and the snapshot has one of each', () => {
  const { marks, given } = markers()
  const [a, b] = [marks.beginTable('a'), marks.beginTable('b')]
  marks.push(a, 1)
  marks.push(b, 1)
  marks.push(b, 2)
  marks.push(b, 3)
  marks.push(a, 2)
  marks.endTable(a)
  marks.endTable(b)
  marks.end()
  assert.deepEqual(given, [
    'b1 first',
    'b2 true',
    'a1 first_in_data_collection',
    'a2 last_in_data_collection',
    'b3 last',
  ])
})

test('the row of a snapshot of one row is its last; a snapshot without rows has no marker', () => {
  const [one, none] = [markers(), markers()]
  const marked = one.marks.beginTable('a')
  one.marks.push(marked, 1)
  one.marks.endTable(marked)
  one.marks.end()
  none.marks.endTable(none.marks.beginTable('a'))
  none.marks.end()
  assert.deepEqual([one.given, none.given], [['a1 last'], []])
})
