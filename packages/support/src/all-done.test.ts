import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allDone } from './all-done.ts'

test('gives what each gives', async () => {
  assert.deepEqual(await allDone([Promise.resolve(1), Promise.resolve('a')]), [1, 'a'])
})

test('a failure waits for what is still under way', async () => {
  const later = Promise.withResolvers<string>()
  const seen: string[] = []
  const all = allDone([Promise.reject(new Error('no')), later.promise.then((text) => seen.push(text))])
  all.catch(() => seen.push('failed'))
  await new Promise(setImmediate)
  assert.deepEqual(seen, [])
  later.resolve('done')
  await assert.rejects(all, /^Error: no$/)
  assert.deepEqual(seen, ['done', 'failed'])
})
