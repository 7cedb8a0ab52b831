import type { PollResult } from '@tributary/connect-api'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeEventSource } from './change-event-source.ts'
import { SourceCoordinator } from './source-coordinator.ts'

const signal = new AbortController().signal

/** A phase that gives some results and is over. */
class ListedResults implements ChangeEventSource {
  isClosed = false
  readonly #results: PollResult[]

  constructor(positions: readonly number[]) {
    this.#results = positions.map((pos) => ({
      records: [],
      progress: { partition: {}, offset: { toDocument: () => ({ pos }) } },
    }))
  }

  poll(): Promise<PollResult | null> {
    assert.equal(this.isClosed, false, 'a phase that is closed is not asked')
    return Promise.resolve(this.#results.shift() ?? null)
  }

  close(): Promise<void> {
    this.isClosed = true
    return Promise.resolve()
  }
}

async function poll(coordinator: SourceCoordinator): Promise<unknown> {
  return (await coordinator.poll(signal)).progress?.offset.toDocument()['pos'] ?? null
}

test('the second phase is made when the first is over and closed', async () => {
  const [snapshot, stream] = [new ListedResults([1, 2]), new ListedResults([3])]
  const coordinator = new SourceCoordinator({
    first: snapshot,
    next: () => {
      assert.equal(snapshot.isClosed, true)
      return stream
    },
  })
  const seen = [await poll(coordinator), await poll(coordinator), await poll(coordinator), await poll(coordinator)]
  assert.deepEqual(seen, [1, 2, null, 3])
  assert.equal(stream.isClosed, false)
  await coordinator.close()
  assert.equal(stream.isClosed, true)
})

test('without a second phase nothing more comes', async () => {
  const coordinator = new SourceCoordinator({ first: new ListedResults([]), next: () => null })
  assert.deepEqual([await poll(coordinator), await poll(coordinator)], [null, null])
  await coordinator.close()
})
