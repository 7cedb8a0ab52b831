import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snapshotModeNames, snapshotModeOf, snapshotNeed, takesSnapshot } from './snapshot-mode.ts'

// What Debezium 3.6 does in each mode: without an offset, after an unfinished snapshot, after a finished one.
const NEEDS: Readonly<Record<string, readonly [string, string, string]>> = {
  initial: ['rows', 'rows', 'none'],
  always: ['rows', 'rows', 'rows'],
  initial_only: ['rows', 'rows', 'none'],
  no_data: ['structure', 'structure', 'none'],
  recovery: ['history', 'history', 'history'],
  when_needed: ['rows', 'rows', 'none'],
  never: ['beginning', 'beginning', 'none'],
  // Without any of its properties.
  configuration_based: ['beginning', 'beginning', 'none'],
}

test('each mode needs rows, structure or nothing, depending on the offset', () => {
  assert.deepEqual([...snapshotModeNames].sort(), Object.keys(NEEDS).sort())
  for (const [name, needs] of Object.entries(NEEDS)) {
    const mode = snapshotModeOf(name)
    const stored = [null, { isSnapshotUnfinished: true }, { isSnapshotUnfinished: false }]
    assert.deepEqual(
      stored.map((each) => snapshotNeed(mode, each)),
      needs,
      name,
    )
  }
})

test('configuration_based consists of its properties', () => {
  const nothing = { data: false, schema: false, startsStream: false, onSchemaError: false, onDataError: false }
  const rows = snapshotModeOf('configuration_based', { ...nothing, data: true, onDataError: true })
  assert.deepEqual([rows.atFirst, rows.afterwards, rows.streams], ['rows', 'rows', false])
  assert.deepEqual([rows.replacesLostPosition, rows.rebuildsHistory], [true, false])
  const structure = snapshotModeOf('configuration_based', {
    ...nothing,
    schema: true,
    startsStream: true,
    onSchemaError: true,
  })
  assert.deepEqual([structure.atFirst, structure.afterwards, structure.streams], ['structure', 'history', true])
  assert.deepEqual([structure.replacesLostPosition, structure.rebuildsHistory], [false, true])
})

test('only initial_only does not stream, and only when_needed replaces a lost position', () => {
  const modes = snapshotModeNames.filter((name) => name !== 'configuration_based').map((name) => snapshotModeOf(name))
  assert.deepEqual(
    modes.filter(({ streams }) => !streams).map(({ name }) => name),
    ['initial_only'],
  )
  assert.deepEqual(
    modes.filter(({ replacesLostPosition }) => replacesLostPosition).map(({ name }) => name),
    ['when_needed'],
  )
})

test('tables are locked for rows and structure, not to rebuild the history', () => {
  const locking = (stored: { isSnapshotUnfinished: boolean } | null): readonly string[] =>
    snapshotModeNames.filter((name) => takesSnapshot(snapshotModeOf(name), stored))
  assert.deepEqual(locking(null), ['initial', 'always', 'initial_only', 'no_data', 'when_needed'])
  assert.deepEqual(locking({ isSnapshotUnfinished: false }), ['always'])
})

test('rows that are copied beside the stream are copied on with the stream, or read again without one', () => {
  const copying = { isSnapshotUnfinished: false, isInitialCopy: true }
  const needs = snapshotModeNames
    .filter((name) => name !== 'configuration_based')
    .map((name) => [name, snapshotNeed(snapshotModeOf(name), copying)])
  assert.deepEqual(Object.fromEntries(needs), {
    initial: 'none',
    always: 'none',
    initial_only: 'rows',
    no_data: 'none',
    recovery: 'history',
    when_needed: 'none',
    never: 'none',
  })
})
