import { constants, PerformanceObserver } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'

/** A thread that takes Buffers as a socket gives them, keeps none, and tells how often its old generation was gone through meanwhile. */
const CHUNK_BYTES = 16_384
const CHUNKS = 40_000

interface Collection {
  readonly detail: { readonly kind: number }
}

let collections = 0
const observer = new PerformanceObserver((list) => {
  // Node's types leave out what an entry of a collection has beside its times.
  for (const { detail } of list.getEntries() as unknown as readonly Collection[]) {
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1
  }
})
observer.observe({ entryTypes: ['gc'] })

/** Else the compiler need not make them. */
let last: readonly unknown[] = []
for (let i = 0; i < CHUNKS; i++) {
  last = [Buffer.allocUnsafeSlow(CHUNK_BYTES), Array.from({ length: 400 }, () => i)]
  if (i % 50 === 0) await setImmediate()
}
for (let turn = 0; turn < 10; turn++) await setImmediate()
parentPort?.postMessage({ collections, kept: last.length })
