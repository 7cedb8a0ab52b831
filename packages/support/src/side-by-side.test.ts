import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { StoppedError } from './errors.ts'
import { sideBySide } from './side-by-side.ts'

const fails = (): Promise<never> => Promise.reject(new Error('no'))

test('gives what each gives', async () => {
  assert.deepEqual(await sideBySide([() => Promise.resolve(1), () => Promise.resolve('a')]), [1, 'a'])
})

test('a failure waits for what is still under way', async () => {
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

test('what fails stops the other, and is what is told, whichever of them it is', async () => {
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
