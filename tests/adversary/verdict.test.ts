import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PrintedImage, reconcile } from './binlog-images.ts'
import { stateDifference } from './replica.ts'
import { type ChangeEvent, eventsOf, imagesBetween, type Row, type RowImage } from './row-image.ts'
import { shrink } from './shrink.ts'
import type { Step } from './steps.ts'
import { TopicState } from './topic-state.ts'
import { compareEvents } from './verdict.ts'

function inserted(table: string, id: number, isPartial = false): RowImage {
  return { verb: 'INSERT', table, before: null, after: { id: String(id), a: 'x' }, key: ['id'], isPartial }
}

const IMAGES = [inserted('t', 1), inserted('u', 1), inserted('t', 2)]
const EVENTS: readonly ChangeEvent[] = IMAGES.flatMap(eventsOf)
const NONE = { stopped: new Set<string>(), leftOut: new Set<string>() }

test('equal events in the order of the changes are right', () => {
  assert.deepEqual(compareEvents(IMAGES, EVENTS, NONE), { right: 3, wrong: [], lost: [], withheld: 0 })
})

test('a missing event is lost, unless its table is stopped', () => {
  const [first, , third] = EVENTS as [ChangeEvent, ChangeEvent, ChangeEvent]
  assert.deepEqual(compareEvents(IMAGES, [first, third], NONE).lost, ['c u null {"id":"1","a":"x"}'])
  const verdict = compareEvents(IMAGES, [first, third], { ...NONE, stopped: new Set(['u']) })
  assert.deepEqual([verdict.lost, verdict.withheld], [[], 1])
})

test('only a row that may lack columns may be left out, and only with a line in the log', () => {
  const images = [inserted('t', 1, true), inserted('t', 2)]
  const leftOut = new Set(['t'])
  assert.equal(compareEvents(images, [], NONE).lost.length, 2)
  assert.deepEqual(compareEvents(images, [], { ...NONE, leftOut }).lost, ['c t null {"id":"2","a":"x"}'])
})

test('of a row that may lack columns, an event may have the placeholder, or no image before the change', () => {
  const [whole] = IMAGES as [RowImage]
  const update: RowImage = { ...whole, verb: 'UPDATE', before: { id: '1', a: 'w' }, isPartial: true }
  const event = { table: 't', op: 'u', before: null, after: { id: '1', a: '__debezium_unavailable_value' } }
  assert.equal(compareEvents([update], [event], NONE).right, 1)
  assert.equal(compareEvents([{ ...update, isPartial: false }], [event], NONE).wrong.length, 1)
  for (const after of [
    { id: '1', a: 'y' },
    { id: '__debezium_unavailable_value', a: 'x' },
  ]) {
    assert.equal(compareEvents([update], [{ ...event, after }], NONE).wrong.length, 1)
  }
})

test('an event that is repeated, out of order, or has a value under another name is wrong', () => {
  const [first, second, third] = EVENTS as [ChangeEvent, ChangeEvent, ChangeEvent]
  assert.equal(compareEvents(IMAGES, [first, first, second, third], NONE).wrong.length, 1)
  assert.equal(compareEvents(IMAGES, [second, first, third], NONE).wrong.length, 1)
  const renamed = { ...first, after: { id: '1', b: 'x' } }
  assert.deepEqual(compareEvents(IMAGES, [renamed, second, third], NONE).wrong, ['c t null {"id":"1","b":"x"}'])
})

test('the changes of a statement follow from the rows before and after it', () => {
  const [one, two, changed, moved] = [{ id: '1' }, { id: '2', a: 'x' }, { id: '2', a: 'y' }, { id: '9', a: 'x' }]
  const verbs = (rows: readonly Row[], after: readonly Row[]) =>
    imagesBetween({ table: 't', rows, key: ['id'] }, after).map(({ verb }) => verb)
  assert.deepEqual(verbs([one], [one, two]), ['INSERT'])
  assert.deepEqual(verbs([one, two], [one, changed]), ['UPDATE'])
  assert.deepEqual(verbs([one, two], [two]), ['DELETE'])
  assert.deepEqual(verbs([one, one], [one, two]), ['DELETE', 'INSERT'])
  const ops = (key: readonly string[]) =>
    imagesBetween({ table: 't', rows: [two], key }, [moved])
      .flatMap(eventsOf)
      .map(({ op }) => op)
  assert.deepEqual([ops(['id']), ops(['a']), ops([])], [['d', 'c'], ['u'], ['u']])
})

function printed(verb: string, ...parts: readonly (readonly [string, string])[]): PrintedImage {
  const maps = parts.map(
    ([id, a]) =>
      new Map([
        [1, `${id} /* INT meta=0 */`],
        [2, `${a} /* VARSTRING(80) meta=80 */`],
      ]),
  )
  return { verb, table: 't', parts: maps }
}

test('the recorded changes are compared with those that the server prints, by position', () => {
  const statement = (...images: readonly RowImage[]) => [{ images }]
  assert.equal(reconcile(statement(inserted('t', 1)), [printed('INSERT', ['1', "'x'"])]), null)
  assert.match(reconcile(statement(inserted('t', 1)), [printed('INSERT', ['1', "'y'"])]) ?? '', /^change 0 is one of/)
  assert.match(reconcile(statement(inserted('t', 1)), []) ?? '', /^change 0 is not in the binlog/)
  assert.equal(reconcile([], [printed('INSERT', ['1', "'x'"])]), '1 changes in the binlog, not 0')
})

test('changes of one statement get the order and the verbs of the binlog', () => {
  const update: RowImage = { ...inserted('t', 1), verb: 'UPDATE', before: { id: '1', a: 'w' } }
  const statement = { images: [inserted('t', 2), update] }
  const log = [printed('DELETE', ['1', "'w'"]), printed('INSERT', ['1', "'x'"]), printed('INSERT', ['2', "'x'"])]
  assert.equal(reconcile([statement], log), null)
  assert.deepEqual(
    statement.images.map(({ verb, after }) => `${verb} ${after?.['id'] ?? ''}`),
    ['DELETE ', 'INSERT 1', 'INSERT 2'],
  )
})

test('the last records of a topic are compared with the rows of a table', () => {
  const state = new TopicState()
  const row = { id: '-1', a: 'x' }
  for (const id of ['-1', '-2', '-3']) state.take('p.t', `{"id":"${id}"}`, { table: 't', after: { ...row, id } })
  state.take('p.t', '{"id":"-2"}', null)
  state.take('p.t', '{"id":"-3"}', { table: 't', after: null })
  const records = state.tables().get('t') ?? []
  assert.match(stateDifference(records, [row]) ?? '', /without a tombstone.*no such row/)
  state.take('p.t', '{"id":"-3"}', null)
  const left = state.tables().get('t') ?? []
  assert.equal(stateDifference(left, [row]), null)
  assert.match(stateDifference(left, [{ id: '-1', a: 'y' }]) ?? '', /no key has that as its last record/)
  assert.match(stateDifference(left, []) ?? '', /no such row/)
})

test('shrink keeps only the steps that a failure needs', async () => {
  const steps = Array.from({ length: 50 }, (_, session): Step => ({ kind: 'begin', session }))
  const has = (list: readonly Step[], number: number): boolean =>
    list.some((step) => 'session' in step && step.session === number)
  const fails = (list: readonly Step[]): Promise<boolean> => Promise.resolve(has(list, 7) && has(list, 31))
  const shortest = await shrink(steps, fails, 1000)
  assert.deepEqual(
    shortest.map((step) => ('session' in step ? step.session : -1)),
    [7, 31],
  )
})
