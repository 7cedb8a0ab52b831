import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { StoppedError } from './errors.ts'
import { sideBySide } from './side-by-side.ts'

const fails = (): Promise<never> => Promise.reject(new Error('no'))

test('the results of both are returned', async () => {
  assert.deepEqual(await sideBySide([() => Promise.resolve(1), () => Promise.resolve('a')]), [1, 'a'])
})

test('an error is thrown only when both have ended', async () => {
  const later = Promise.withResolvers<string>()
  const seen: string[] = []
  const both = sideBySide([fails, () => later.promise.then((text) => seen.push(text))])
  both.catch(() => seen.push('failed'))
  await new Promise(setImmediate)
  assert.deepEqual(seen, [])
  later.resolve('done')
  await assert.rejects(both, /^Error: no$/)
  assert.deepEqual(seen, ['done', 'failed'])
})

test('a failure of one stops the other, and its error is thrown, whichever fails', async () => {
  const waits = async (signal: AbortSignal): Promise<never> => {
    await once(signal, 'abort')
    throw new StoppedError()
  }
  await assert.rejects(sideBySide([fails, waits]), /^Error: no$/)
  await assert.rejects(sideBySide([waits, fails]), /^Error: no$/)

  const stop = new AbortController()
  const stopped = sideBySide([waits, waits], stop.signal)
  stop.abort()
  await assert.rejects(stopped, StoppedError)
})
