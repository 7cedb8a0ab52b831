import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SerialQueue } from './serial-queue.ts'

test('work runs one piece after the other, in order, also after one that failed', async () => {
  const queue = new SerialQueue()
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  const first = queue.run(async () => {
    seen.push('first starts')
    await gate.promise
    seen.push('first ends')
    throw new Error('first failed')
  })
  const second = queue.run(() => {
    seen.push('second')
    return Promise.resolve(2)
  })
  let isDrained = false
  const drained = queue.drain().then(() => (isDrained = true))
  await Promise.resolve()
  assert.deepEqual([seen, isDrained], [['first starts'], false])

  gate.resolve()
  await assert.rejects(first, /first failed/)
  assert.equal(await second, 2)
  await drained
  assert.deepEqual(seen, ['first starts', 'first ends', 'second'])
})

test('work that throws synchronously rejects', async () => {
  const queue = new SerialQueue()
  await assert.rejects(
    queue.run(() => {
      throw new Error('at once')
    }),
    /at once/,
  )
  await queue.drain()
})
