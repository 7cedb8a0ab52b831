import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TableId } from '@tributary/connector-kit'
import { IncrementalProgress } from './incremental-progress.ts'
import { StreamPosition } from './stream-position.ts'

const collection = (table: string): Parameters<IncrementalProgress['withCollections']>[0][number] => ({
  id: TableId.of('shop', table),
  condition: table === 'b' ? 'id > 3' : null,
  surrogateKey: null,
  correlationId: 's-1',
})

const begun = IncrementalProgress.none.withCollections([collection('a'), collection('b')])
const key = { point: ['10'], java: 'aced', signature: '`id` int' }

test('the progress is in offsets under the names of Debezium, and is read again', () => {
  const progress = begun.withKeys(key, { ...key, point: ['99'] }).withSignalOffset(7n)
  const document = progress.toDocument()
  assert.deepEqual(document, {
    incremental_snapshot_collections:
      '[{"incremental_snapshot_collections_id":"shop.a","incremental_snapshot_collections_additional_condition":null,"incremental_snapshot_collections_surrogate_key":null,"incremental_snapshot_collections_correlation_id":"s-1"},{"incremental_snapshot_collections_id":"shop.b","incremental_snapshot_collections_additional_condition":"id > 3","incremental_snapshot_collections_surrogate_key":null,"incremental_snapshot_collections_correlation_id":"s-1"}]',
    incremental_snapshot_primary_key: 'aced',
    incremental_snapshot_maximum_key: 'aced',
    incremental_snapshot_correlation_id: 's-1',
    incremental_snapshot_signal_offset: 7n,
    incremental_snapshot_points: '{"last":["10"],"maximum":["99"],"signature":"`id` int"}',
  })
  assert.ok(IncrementalProgress.parse(document).equals(progress))
  assert.ok(!begun.equals(progress))
})

test('without a snapshot and without signals, an offset has none of the keys', () => {
  const position = StreamPosition.parse({ file: 'binlog.000001', pos: 4 })
  assert.ok(position !== null)
  assert.ok(!Object.keys(position.toDocument()).some((name) => name.startsWith('incremental')))
  const keys = Object.keys(position.withIncremental(begun).toHistoryDocument())
  assert.ok(!keys.some((name) => name.startsWith('incremental')))
})

test('the keys are those of the first table, and go with it', () => {
  const progress = begun.withKeys(key, key)
  assert.equal(progress.without(new Set([TableId.of('shop', 'b')])).last, key)
  const rest = progress.without(new Set([TableId.of('shop', 'a')]))
  assert.deepEqual([rest.collections.length, rest.last, rest.maximum], [1, null, null])
  assert.equal(rest.without(new Set([TableId.of('shop', 'b')])).isActive, false)
})

test('a table that is asked for again is added unless it waits for the same rows; the first one may have begun', () => {
  const progress = begun.withKeys(key, key)
  assert.equal(progress.withCollections([collection('b')]), progress)
  for (const other of [
    collection('a'),
    { ...collection('b'), condition: 'id <= 3' },
    { ...collection('b'), surrogateKey: 'x' },
  ]) {
    const more = progress.withCollections([other])
    assert.deepEqual(more.collections, [...progress.collections, other])
    assert.deepEqual(IncrementalProgress.parse(more.toDocument()).collections, more.collections)
  }
  const twice = progress.withCollections([collection('a')])
  const rest = twice.withoutFirst()
  assert.deepEqual([rest.collections, rest.last], [[collection('b'), collection('a')], null])
  assert.equal(twice.without(new Set([TableId.of('shop', 'a')])).collections.length, 1)
  // A table that the lists add is copied once, also when the task starts again meanwhile.
  assert.equal(progress.withAdded([collection('a')]), progress)
  assert.equal(progress.withAdded([{ ...collection('b'), condition: null }]).collections.length, 3)
})

test('a list of tables that cannot be read is an error: to ignore it would end their snapshot', () => {
  for (const value of ['{}', '[1]', '[{"x":1}]', 'nonsense', 3]) {
    assert.throws(() => IncrementalProgress.parse({ incremental_snapshot_collections: value }), {
      code: 'OFFSET_UNREADABLE',
    })
  }
  // Points that cannot be read make the table start again.
  const document = { ...begun.withKeys(key, key).toDocument(), incremental_snapshot_points: '{"last":3}' }
  assert.deepEqual(IncrementalProgress.parse(document).last, { point: null, java: 'aced', signature: null })
})

test('of a snapshot that begins, the tables that it does not read stay, from their first row on, and the signal offset', () => {
  const isRead = (id: TableId): boolean => id === TableId.of('shop', 'b')
  const before = begun
    .withKeys(key, key)
    .withBlocking([collection('b'), collection('c')])
    .withSignalOffset(7n)
  const after = before.beforeSnapshot(isRead)
  assert.deepEqual(after.collections, [collection('a')])
  assert.deepEqual(after.blocking, [collection('c')])
  assert.deepEqual([after.last, after.maximum, after.signalOffset], [null, null, 7n])
})

test('tables that are renamed while they wait or are copied have their new names', () => {
  const id = (table: string): TableId => TableId.of('shop', table)
  const progress = begun.withKeys(key, key)
  const after = (...renames: readonly (readonly [from: string, to: string])[]): readonly [string, boolean] => {
    const oldNames = new Map(renames.map(([from, to]) => [id(to), id(from)]))
    const renamed = progress.withRenamed(oldNames, ({ table }) => table !== 'hidden')
    const list = renamed.collections.map(({ id: { table }, condition }) => `${table}${condition === null ? '' : '?'}`)
    return [list.join(), renamed.last !== null]
  }
  assert.deepEqual(after(['x', 'y']), ['a,b?', true])
  assert.deepEqual(after(['b', 'c']), ['a,c?', true])
  // The first one starts again.
  assert.deepEqual(after(['a', 'c']), ['c,b?', false])
  // Another table takes over its name.
  assert.deepEqual(after(['a', 'c'], ['new', 'a']), ['a,c,b?', false])
  assert.deepEqual(after(['a', 'hidden'], ['new', 'a']), ['a,b?', false])
  assert.deepEqual(after(['b', 'hidden']), ['a,b?', true])
  assert.deepEqual(after(['a', 'b'], ['b', 'a']), ['a,b', false])
})

test('the copy of an initial snapshot is in offsets, and lets Debezium begin again where it would ignore the copy', () => {
  const at = StreamPosition.parse({ file: 'binlog.000001', pos: 4 })
  assert.ok(at !== null)
  const tables = [collection('a'), collection('b')]
  for (const [copy, snapshot] of [
    ['continued by debezium', undefined],
    ['begun again by debezium', 'INITIAL'],
  ] as const) {
    const position = at.withIncremental(IncrementalProgress.none.withInitial(tables, copy).withKeys(key, key))
    const document = position.toDocument()
    assert.equal(document['snapshot'], snapshot)
    assert.equal(document['initial_snapshot_copy'], copy)
    const parsed = StreamPosition.parse(document)
    assert.ok(parsed !== null)
    assert.deepEqual([parsed.isSnapshotUnfinished, parsed.isInitialCopy], [false, true])
    assert.ok(parsed.incremental.equals(position.incremental))
    assert.equal(position.toHistoryDocument()['snapshot'], undefined)
    const complete = position.withIncremental(parsed.incremental.withoutFirst().withoutFirst())
    assert.deepEqual(
      Object.keys(complete.toDocument()).filter((name) => /snapshot/.test(name)),
      [],
    )
  }
  // Debezium writes the key for a snapshot of its own, and does not copy ours.
  assert.equal(StreamPosition.parse({ file: 'binlog.000001', pos: 4, snapshot: 'INITIAL' })?.isSnapshotUnfinished, true)
})

test('an initial copy ends with its own tables: others that a signal has added are no part of it', () => {
  const initial = IncrementalProgress.none.withInitial([collection('a')], 'begun again by debezium')
  const progress = initial.withCollections([collection('b')])
  const stored = { file: 'binlog.000001', pos: 4, ...progress.toDocument() }
  const parsed = StreamPosition.parse(stored)
  assert.ok(parsed !== null)
  assert.deepEqual(
    parsed.incremental.collections.map(({ isInitial }) => isInitial === true),
    [true, false],
  )
  for (const each of [progress, parsed.incremental]) {
    assert.equal(each.isInitial, true)
    const rest = each.withoutFirst()
    assert.equal(rest.isInitial, false)
    assert.ok(Object.keys(rest.toDocument()).every((name) => name.startsWith('incremental_snapshot_')))
    assert.doesNotMatch(JSON.stringify(rest.toDocument()), /origin/)
    assert.ok(each.withFirstLast().withoutFirst().isInitial)
  }
  // Without our own key, as Debezium writes it.
  const { initial_snapshot_copy: copy, snapshot, ...debezium } = stored as Readonly<Record<string, unknown>>
  assert.deepEqual([copy, snapshot], ['begun again by debezium', 'INITIAL'])
  const theirs = IncrementalProgress.parse(debezium as Parameters<typeof IncrementalProgress.parse>[0])
  assert.equal(theirs.isInitial, false)
  assert.ok(theirs.collections.every(({ isInitial }) => isInitial !== true))
})
