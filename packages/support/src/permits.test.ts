import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { StoppedError } from './errors.ts'
import { Permits } from './permits.ts'

const NEVER = new AbortController().signal

/** Work that runs until it is ended. */
class Work {
  readonly begun: number[] = []
  readonly #ends = new Map<number, PromiseWithResolvers<void>>()

  readonly start = async (id: number): Promise<void> => {
    this.begun.push(id)
    const end = Promise.withResolvers<void>()
    this.#ends.set(id, end)
    await end.promise
  }

  end(id: number): Promise<void> {
    this.#ends.get(id)?.resolve()
    return nextTurn()
  }

  fail(id: number): Promise<void> {
    this.#ends.get(id)?.reject(new Error('failed'))
    return nextTurn()
  }
}

test('no more than the limit runs, and the next begins in order when one ends or fails', async () => {
  const [permits, work] = [new Permits(2), new Work()]
  const all = [0, 1, 2, 3].map((id) => permits.run(() => work.start(id), NEVER).catch((error: Error) => error.message))
  await nextTurn()
  assert.deepEqual(work.begun, [0, 1])
  await work.end(1)
  assert.deepEqual(work.begun, [0, 1, 2])
  await work.fail(0)
  assert.deepEqual(work.begun, [0, 1, 2, 3])
  await work.end(2)
  await work.end(3)
  assert.deepEqual(await Promise.all(all), ['failed', undefined, undefined, undefined])
})

test('work that is stopped while it waits does not run, and takes no permit', async () => {
  const [permits, work, stop] = [new Permits(1), new Work(), new AbortController()]
  const first = permits.run(() => work.start(0), NEVER)
  const stopped = permits.run(() => work.start(1), stop.signal)
  const last = permits.run(() => work.start(2), NEVER)
  stop.abort()
  await assert.rejects(stopped, StoppedError)
  await assert.rejects(
    permits.run(() => work.start(3), stop.signal),
    StoppedError,
  )
  await work.end(0)
  await work.end(2)
  await Promise.all([first, last])
  assert.deepEqual(work.begun, [0, 2])
})
