import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

interface Outcome {
  readonly grown: number
  readonly left: number
}

const CODE = `
  const { parentPort, workerData } = require('node:worker_threads')
  import(workerData).then(async ({ v8Heap }) => {
    // The young generation grows by the objects that survive its collections.
    const kept = []
    for (let i = 0; i < 400_000; i++) kept.push({ i })
    const grown = v8Heap.youngBytes()
    kept.length = 0
    for (let i = 0; i < 5; i++) await v8Heap.release()
    parentPort.postMessage({ grown, left: v8Heap.youngBytes() })
  })`

async function growAndRelease(): Promise<Outcome> {
  const thread = new Worker(CODE, {
    eval: true,
    workerData: import.meta.resolve('./v8-heap.ts'),
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  })
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  thread.once('message', resolve)
  thread.once('error', reject)
  thread.once('exit', (code) => reject(new Error(`exit code ${code}`)))
  const outcome = await promise
  await thread.terminate()
  return outcome
}

test('release shrinks a young generation that has grown, in several threads at the same time', async () => {
  const outcomes = await Promise.all(Array.from({ length: 4 }, growAndRelease))
  for (const { grown, left } of outcomes) {
    assert.ok(grown >= 8_000_000, `${grown}`)
    assert.ok(left <= 2_000_000, `${grown} → ${left}`)
  }
})
