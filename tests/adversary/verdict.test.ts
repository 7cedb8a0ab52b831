import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differenceOf } from './binlog-images.ts'
import { type ChangeEvent, eventsOf, imagesBetween, type RowImage } from './row-image.ts'
import { shrink } from './shrink.ts'
import type { Step } from './steps.ts'
import { compareEvents } from './verdict.ts'

function inserted(table: string, id: number): RowImage {
  return { verb: 'INSERT', table, before: null, after: { id: String(id), a: 'x' } }
}

const IMAGES = [inserted('t', 1), inserted('u', 1), inserted('t', 2)]
const EVENTS: readonly ChangeEvent[] = IMAGES.flatMap(eventsOf)
const NONE: ReadonlySet<string> = new Set()

test('equal events in the order of the changes are right', () => {
  assert.deepEqual(compareEvents(IMAGES, EVENTS, NONE), { right: 3, wrong: [], lost: [], withheld: 0 })
})

test('a missing event is lost, unless its table is stopped', () => {
  const [first, , third] = EVENTS as [ChangeEvent, ChangeEvent, ChangeEvent]
  assert.deepEqual(compareEvents(IMAGES, [first, third], NONE).lost, ['c u null {"id":"1","a":"x"}'])
  const verdict = compareEvents(IMAGES, [first, third], new Set(['u']))
  assert.deepEqual([verdict.lost, verdict.withheld], [[], 1])
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
  const verbs = (before: readonly Record<string, string>[], after: readonly Record<string, string>[]) =>
    imagesBetween('t', before, after).map(({ verb }) => verb)
  assert.deepEqual(verbs([one], [one, two]), ['INSERT'])
  assert.deepEqual(verbs([one, two], [one, changed]), ['UPDATE'])
  assert.deepEqual(verbs([one, two], [two]), ['DELETE'])
  assert.deepEqual(
    imagesBetween('t', [two], [moved])
      .flatMap(eventsOf)
      .map(({ op }) => op),
    ['d', 'c'],
  )
})

test('the recorded changes are compared with those that the server prints, by position', () => {
  const printed = (value: string) => ({ verb: 'INSERT', table: 't', parts: [['1 /* INT meta=0 */', value]] })
  const image = inserted('t', 1)
  assert.equal(differenceOf([image], [printed("'x' /* VARSTRING(80) meta=80 */")]), null)
  assert.match(differenceOf([image], [printed("'y' /* VARSTRING(80) meta=80 */")]) ?? '', /^change 0 is /)
  assert.equal(differenceOf([image], []), '0 changes in the binlog, not 1')
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
