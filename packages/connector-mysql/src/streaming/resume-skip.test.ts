import assert from 'node:assert/strict'
import { test } from 'node:test'
import { present } from '@tributary/support'
import { StreamPosition } from '../offset/stream-position.ts'
import { ResumeSkip } from './resume-skip.ts'

/** A position after that many events and rows of a transaction that begins at 100. */
function at(event: number, row: number, transaction: string | null = null): StreamPosition {
  return present(
    StreamPosition.parse({ file: 'f.1', pos: 100, event, row, transaction_gtid: transaction }),
    'a position',
  )
}

/** How many of the first rows events of a transaction are skipped, and then how many rows of the next one. */
function skipped(skip: ResumeSkip): readonly [events: number, rows: number] {
  let events = 0
  let decision = skip.event('rows', events)
  while (decision === 'skip') {
    events += 1
    decision = skip.event('rows', events)
  }
  return [events, decision === 'skipRows' ? skip.start.row : 0]
}

test('the first events of the interrupted transaction, and the first rows of the next event, are skipped once', () => {
  for (const transaction of [null, 'a:7']) {
    const skip = new ResumeSkip(at(2, 3, transaction))

    skip.begin('a:7')
    assert.deepEqual(skipped(skip), [2, 3])
    assert.equal(skip.event('rows', 3), 'handle', 'rows of the following event are handled')
    skip.end()

    assert.equal(skip.isOver, true)
    skip.begin('a:8')
    assert.deepEqual(skipped(skip), [0, 0])
  }
})

test('nothing of another transaction is skipped, it is reported once, and the interrupted one may still follow', () => {
  const skip = new ResumeSkip(at(2, 3, 'a:7'))

  assert.deepEqual([skip.statementAlone('b:1'), skip.statementAlone('b:2')], ['handleAndWarn', 'handle'])
  assert.equal(skip.begin('b:3'), 'handle')
  assert.deepEqual([...skipped(skip), skip.isOver], [0, 0, false])
  assert.equal(skip.handledUpTo(at(1, 0)).event, 1, 'the position moves on')
  skip.end()

  assert.equal(skip.begin('a:7'), 'handle')
  assert.deepEqual(skipped(skip), [2, 3])
})

test('without GTIDs the first transaction counts as the interrupted one', () => {
  const skip = new ResumeSkip(at(1, 0))

  assert.equal(skip.statementAlone('b:1'), 'handle')
  assert.equal(skip.begin(null), 'handle')
  assert.deepEqual(skipped(skip), [1, 0])
})

test('a position between transactions skips nothing', () => {
  const skip = new ResumeSkip(at(0, 0, 'a:7'))

  assert.equal(skip.isOver, true)
  assert.equal(skip.begin('a:7'), 'handle')
  assert.deepEqual(skipped(skip), [0, 0])
})

test('the reported position is the start until the connection has reached it', () => {
  const start = at(2, 3, 'a:7')
  const skip = new ResumeSkip(start)
  assert.equal(skip.handledUpTo(at(0, 0)), start)

  skip.begin('a:7')
  assert.equal(skip.handledUpTo(at(1, 0)), start)

  skip.event('rows', 2)
  assert.equal(skip.handledUpTo(at(2, 0)), start, 'the event in which it was interrupted is not done')
  assert.equal(skip.handledUpTo(at(3, 0)).event, 3)
})

test('an interrupted transaction without an end is over when another one begins', () => {
  const skip = new ResumeSkip(at(4, 0, 'a:7'))
  skip.begin('a:7')
  assert.equal(skip.event('rows', 1), 'skip')

  assert.equal(skip.begin('a:8'), 'handle')

  assert.deepEqual([skip.isOver, ...skipped(skip)], [true, 0, 0])
})
