import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ResumeSkip } from './resume-skip.ts'

/** Of the events 0 to 3 of a transaction, those that are passed over, and the rows of the next one. */
function passed(skip: ResumeSkip): readonly [events: number, rows: number] {
  let events = 0
  while (skip.skipsEvent(events)) events += 1
  return [events, skip.takeRows()]
}

test('the first events of the transaction that was under way, and rows of the next event, are passed over once', () => {
  for (const transaction of [null, 'a:7']) {
    const skip = new ResumeSkip({ event: 2, row: 3, transaction })

    skip.begin('a:7')
    assert.deepEqual(passed(skip), [2, 3])
    skip.end()

    skip.begin('a:8')
    assert.deepEqual(passed(skip), [0, 0])
  }
})

test('a transaction that was not under way loses nothing, and is told once', () => {
  const skip = new ResumeSkip({ event: 2, row: 3, transaction: 'a:7' })

  assert.deepEqual([skip.isFirstOther('b:1'), skip.isFirstOther('b:2')], [true, false])
  skip.begin('b:1')
  assert.deepEqual([...passed(skip), skip.isPassing(0)], [0, 0, false])
  skip.end()

  assert.equal(skip.isFirstOther('a:7'), false)
  skip.begin('a:7')
  assert.deepEqual(passed(skip), [2, 3], 'it comes later: what was sent of it is known')
})

test('without GTIDs the first transaction counts as the one that was under way', () => {
  const skip = new ResumeSkip({ event: 1, row: 0, transaction: null })

  assert.equal(skip.isFirstOther('b:1'), false)
  skip.begin(null)
  assert.deepEqual(passed(skip), [1, 0])
})
