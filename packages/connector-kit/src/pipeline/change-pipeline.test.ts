import type { PollResult } from '@tributary/connect-api'
import { fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChangePipeline } from './change-pipeline.ts'
import type { Change, ChangePosition, ChangeSource, ChangeStage, Poll, ReusedMemory, SourceState } from './change.ts'

const signal = new AbortController().signal

function at(pos: number): ChangePosition {
  return { toDocument: () => ({ pos }), isSamePlace: (other) => other.toDocument()['pos'] === pos }
}

/** Hands over some changes, one a poll, and is over. */
class ListedChanges implements ChangeSource {
  isClosed = false
  readonly #changes: Change[]

  constructor(changes: readonly Change[]) {
    this.#changes = [...changes]
  }

  async poll(poll: Poll): Promise<SourceState> {
    assert.equal(this.isClosed, false, 'a closed source is not polled')
    const change = this.#changes.shift()
    if (change === undefined) return 'over'
    await poll.handle(change)
    return 'more'
  }

  close(): Promise<void> {
    this.isClosed = true
    return Promise.resolve()
  }
}

const progress = (pos: number): Change => ({ tag: 'progress', position: at(pos), isMilestone: false })
const begin: Change = { tag: 'begin', transaction: 'a:1', position: at(1) }
const end: Change = { tag: 'end', position: at(2) }

/** Notes each change that it sees. */
function recorder(name: string, seen: string[]): ChangeStage {
  const note = (text: string): null => {
    seen.push(`${name} ${text}`)
    return null
  }
  return {
    begin: ({ transaction }) => note(`begin ${String(transaction)}`),
    end: () => note('end'),
    progress: ({ position }) => note(`progress ${String(position.toDocument()['pos'])}`),
  }
}

test('the second source is made when the first is over and closed', async () => {
  const seen: string[] = []
  const [snapshot, stream] = [new ListedChanges([progress(1), progress(2)]), new ListedChanges([progress(3)])]
  const next = (): ChangeSource => {
    assert.equal(snapshot.isClosed, true)
    return stream
  }
  const pipeline = new ChangePipeline({
    sources: { first: snapshot, next },
    stages: [recorder('s', seen)],
    clock: fakeClock(),
  })

  const states: unknown[] = []
  for (let i = 0; i < 4; i++) states.push((await pipeline.poll(signal)).hasMore)

  assert.deepEqual(seen, ['s progress 1', 's progress 2', 's progress 3'])
  assert.deepEqual(states, [true, true, false, true])
  assert.equal(stream.isClosed, false)
  await pipeline.close()
  assert.equal(stream.isClosed, true)
})

test('without a second source there are no more changes', async () => {
  const sources = { first: new ListedChanges([]), next: () => null }
  const pipeline = new ChangePipeline({ sources, stages: [], clock: fakeClock() })
  const expected: PollResult = {
    records: [],
    progress: null,
    announced: [],
    hasMore: false,
    isInTransaction: false,
  }

  assert.deepEqual([await pipeline.poll(signal), await pipeline.poll(signal)], [expected, expected])
  await pipeline.close()
})

test('a change passes the stages in their order, and a stage that waits keeps the next one waiting', async () => {
  const seen: string[] = []
  const slow: ChangeStage = {
    begin: async () => {
      await Promise.resolve()
      seen.push('slow begin')
    },
  }
  const stages = [recorder('a', seen), slow, recorder('b', seen)]
  const sources = { first: new ListedChanges([begin, end]), next: () => null }
  const pipeline = new ChangePipeline({ sources, stages, clock: fakeClock() })

  await pipeline.poll(signal)
  await pipeline.poll(signal)

  assert.deepEqual(seen, ['a begin a:1', 'slow begin', 'b begin a:1', 'a end', 'b end'])
})

test('a side source is asked at the start of each poll, and knows whether a transaction is open', async () => {
  const seen: string[] = []
  const side = {
    poll: async (poll: Poll, isInTransaction: boolean) => {
      seen.push(`side ${isInTransaction}`)
      if (!isInTransaction) await poll.handle(progress(9))
    },
  }
  const sources = { first: new ListedChanges([begin, end, progress(3)]), next: () => null }
  const stages = [recorder('s', seen)]
  const pipeline = new ChangePipeline({ sources, stages, sideSources: [side], clock: fakeClock() })

  for (let i = 0; i < 3; i++) await pipeline.poll(signal)

  const expected = ['side false', 's progress 9', 's begin a:1', 'side true', 's end', 'side false', 's progress 9']
  assert.deepEqual(seen, [...expected, 's progress 3'])
})

/** Counts how often its memory was given back. */
class CountingMemory implements ReusedMemory {
  recycled = 0
  recycle(): void {
    this.recycled += 1
  }
}

test('memory of records is given back when the next poll starts; within a poll only while there are no records', async () => {
  const memory = new CountingMemory()
  const seen: number[] = []
  const record = { topic: 't' } as unknown as PollResult['records'][number]
  const source: ChangeSource = {
    poll: async (poll) => {
      poll.uses(memory)
      poll.afterWait()
      seen.push(memory.recycled)
      poll.records.push(record)
      poll.afterWait()
      seen.push(memory.recycled)
      return 'more'
    },
    close: () => Promise.resolve(),
  }
  const pipeline = new ChangePipeline({ sources: { first: source, next: () => null }, stages: [], clock: fakeClock() })

  await pipeline.poll(signal)
  assert.deepEqual(seen, [1, 1])
  await pipeline.poll(signal)

  assert.deepEqual(seen, [1, 1, 3, 3])
})

test('a poll that is over takes no changes', async () => {
  const polls: Poll[] = []
  const source: ChangeSource = {
    poll: async (poll) => {
      polls.push(poll)
      return 'idle'
    },
    close: () => Promise.resolve(),
  }
  const pipeline = new ChangePipeline({ sources: { first: source, next: () => null }, stages: [], clock: fakeClock() })
  await pipeline.poll(signal)
  await pipeline.poll(signal)

  assert.throws(() => polls[0]?.afterWait(), { message: /a poll that is over/ })
  assert.throws(() => polls[0]?.uses(new CountingMemory()), { message: /a poll that is over/ })
})

test('stages learn the time at the start of a poll and after each wait', async () => {
  const clock = fakeClock(1_000)
  const seen: number[] = []
  const stage: ChangeStage = { time: ({ nowMicros }) => void seen.push(nowMicros) }
  const source: ChangeSource = {
    poll: async (poll) => {
      await clock.advance(5)
      poll.afterWait()
      return 'idle'
    },
    close: () => Promise.resolve(),
  }
  const pipeline = new ChangePipeline({ sources: { first: source, next: () => null }, stages: [stage], clock })

  await pipeline.poll(signal)

  assert.deepEqual(seen, [1_000_000, 1_005_000])
})

test('of several announcements for a table the last one counts', async () => {
  const schemas = { topic: 't', keySchema: null, valueSchema: null }
  const source: ChangeSource = {
    poll: async (poll) => {
      for (const table of ['a', 'b', 'c', 'a']) poll.announce(table, () => schemas)
      poll.announce('c', null)
      return 'idle'
    },
    close: () => Promise.resolve(),
  }
  const pipeline = new ChangePipeline({ sources: { first: source, next: () => null }, stages: [], clock: fakeClock() })

  const { announced } = await pipeline.poll(signal)

  assert.deepEqual(
    announced?.map((each) => each.source),
    ['b', 'a'],
  )
})
