import type { SourceOffset, SourcePartition } from '@tributary/connect-api'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SubmittedRecords } from './submitted-records.ts'
import { offsetAt, PARTITION } from '../testing/test-record.ts'

const OTHER: SourcePartition = { server: 'dbserver2' }

function positions(offsets: ReadonlyMap<SourcePartition, SourceOffset>): Record<string, unknown> {
  return Object.fromEntries(
    Array.from(offsets, ([partition, offset]) => [String(partition['server']), offset.toDocument()['pos']]),
  )
}

test('with nothing pending, progress is committable at once and does not count as a record', () => {
  const submitted = new SubmittedRecords()
  for (let pos = 1; pos <= 10; pos++) submitted.submitProgress(PARTITION, offsetAt(pos))
  assert.equal(submitted.completed, 0)
  assert.deepEqual(positions(submitted.takeCommittable()), { dbserver1: 10 })
  assert.equal(submitted.submit(PARTITION, offsetAt(11)), 0)
})

test('an offset is committable when all records before it are acknowledged, in any order', () => {
  const submitted = new SubmittedRecords()
  const tokens = [1, 2, 3].map((pos) => submitted.submit(PARTITION, offsetAt(pos)))
  const [first = -1, second = -1, third = -1] = tokens

  submitted.acknowledge(third)
  assert.deepEqual([positions(submitted.takeCommittable()), submitted.pending], [{}, 3])
  submitted.acknowledge(first)
  assert.deepEqual([positions(submitted.takeCommittable()), submitted.pending], [{ dbserver1: 1 }, 2])
  submitted.acknowledge(second)
  assert.deepEqual([positions(submitted.takeCommittable()), submitted.pending], [{ dbserver1: 3 }, 0])
  assert.deepEqual(positions(submitted.takeCommittable()), {}, 'taken once')
})

test('progress waits for the records before it, and is committable at once when there are none', () => {
  const submitted = new SubmittedRecords()
  submitted.submitProgress(PARTITION, offsetAt(1))
  assert.deepEqual(positions(submitted.takeCommittable()), { dbserver1: 1 })

  const token = submitted.submit(PARTITION, offsetAt(2))
  submitted.submitProgress(PARTITION, offsetAt(3))
  assert.deepEqual(positions(submitted.takeCommittable()), {})
  submitted.acknowledge(token)
  assert.deepEqual(positions(submitted.takeCommittable()), { dbserver1: 3 })
})

test('consecutive progress after an unacknowledged record shares one entry', () => {
  const submitted = new SubmittedRecords()
  submitted.submit(PARTITION, offsetAt(0))
  for (let pos = 1; pos <= 100_000; pos++) submitted.submitProgress(PARTITION, offsetAt(pos))
  assert.equal(submitted.pending, 2)
})

test('offsets do not wait for a retracted record', () => {
  const submitted = new SubmittedRecords()
  const kept = submitted.submit(PARTITION, offsetAt(1))
  submitted.retract(submitted.submit(PARTITION, offsetAt(2)))
  submitted.acknowledge(kept)
  assert.deepEqual([positions(submitted.takeCommittable()), submitted.pending], [{ dbserver1: 1 }, 0])
})

test('offsets that could not be stored are committable again, unless newer ones have replaced them', () => {
  const submitted = new SubmittedRecords()
  submitted.submitProgress(PARTITION, offsetAt(1))
  submitted.submitProgress(OTHER, offsetAt(1))
  const taken = submitted.takeCommittable()
  submitted.submitProgress(OTHER, offsetAt(2))
  submitted.restoreCommittable(taken)
  assert.deepEqual(positions(submitted.takeCommittable()), { dbserver1: 1, dbserver2: 2 })
})

test('acknowledging a record twice, or one that was never submitted, is a bug', () => {
  const submitted = new SubmittedRecords()
  const token = submitted.submit(PARTITION, offsetAt(1))
  submitted.acknowledge(token)
  assert.throws(() => submitted.acknowledge(token), /a record is acknowledged once/)
  assert.throws(() => submitted.acknowledge(token + 1), /a record is acknowledged once/)
  submitted.submit(PARTITION, offsetAt(2))
  const last = submitted.submit(PARTITION, offsetAt(3))
  assert.throws(() => submitted.retract(last - 1), /only the last submitted record/)
})

test('it behaves as a list of entries, for any order of calls and any growth', () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('submit'), at: fc.nat() }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('acknowledge'), at: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('progress'), at: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('retract', 'take', 'restore'), at: fc.nat() }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const [real, model] = [new SubmittedRecords(1), new ListOfEntries()]
      for (const [pos, { do: what, at }] of steps.entries()) run(what, { at, pos, real, model })
      run('take', { at: 0, pos: 0, real, model })
    }),
    { numRuns: 2_000 },
  )
})

interface Step {
  readonly at: number
  readonly pos: number
  readonly real: SubmittedRecords
  readonly model: ListOfEntries
}

function run(what: string, { at, pos, real, model }: Step): void {
  const partition = at % 3 === 0 ? OTHER : PARTITION
  const offset = offsetAt(pos)
  const waiting = model.entries.filter(({ isAcknowledged }) => !isAcknowledged)
  const chosen = waiting[at % Math.max(1, waiting.length)]
  if (what === 'submit') model.submit(real.submit(partition, offset), partition, offset)
  if (what === 'progress') {
    real.submitProgress(partition, offset)
    model.progress(partition, offset)
  }
  if (what === 'acknowledge' && chosen !== undefined) {
    real.acknowledge(chosen.token)
    model.acknowledge(chosen)
  }
  if (what === 'retract') {
    const token = real.submit(partition, offset)
    real.retract(token)
  }
  if (what === 'take') assert.deepEqual(positions(real.takeCommittable()), positions(model.take()))
  if (what === 'restore') {
    real.restoreCommittable(real.takeCommittable())
    model.submitRestored(model.take())
  }
}

interface Entry {
  readonly token: number
  readonly partition: SourcePartition
  readonly offset: SourceOffset
  isAcknowledged: boolean
}

/** The plain version: an entry stays in a list until all before it are acknowledged. */
class ListOfEntries {
  entries: Entry[] = []
  #committable = new Map<SourcePartition, SourceOffset>()

  submit(token: number, partition: SourcePartition, offset: SourceOffset): void {
    this.entries.push({ token, partition, offset, isAcknowledged: false })
  }

  progress(partition: SourcePartition, offset: SourceOffset): void {
    this.acknowledge(this.entries[this.entries.push({ token: -1, partition, offset, isAcknowledged: false }) - 1])
  }

  acknowledge(entry: Entry | undefined): void {
    if (entry !== undefined) entry.isAcknowledged = true
    while (this.entries[0]?.isAcknowledged === true) {
      const [done] = this.entries.splice(0, 1)
      if (done !== undefined) this.#committable.set(done.partition, done.offset)
    }
  }

  take(): ReadonlyMap<SourcePartition, SourceOffset> {
    const taken = this.#committable
    this.#committable = new Map()
    return taken
  }

  submitRestored(offsets: ReadonlyMap<SourcePartition, SourceOffset>): void {
    this.#committable = new Map([...offsets, ...this.#committable])
  }
}
