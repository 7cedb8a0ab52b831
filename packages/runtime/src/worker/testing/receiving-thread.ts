import { constants, PerformanceObserver } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'

/**
 * A thread that allocates Buffers as a socket does, keeps none, and reports how often its old generation was collected.
 */
const CHUNK_BYTES = 16_384
const CHUNKS = 40_000

interface Collection {
  readonly detail: { readonly kind: number }
}

let collections = 0
const observer = new PerformanceObserver((list) => {
  // Node's types omit the `detail` of a garbage collection's entry.
  for (const { detail } of list.getEntries() as unknown as readonly Collection[]) {
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1
  }
})
observer.observe({ entryTypes: ['gc'] })

/** Keeps the compiler from removing the allocations. */
let last: readonly unknown[] = []
for (let i = 0; i < CHUNKS; i++) {
  last = [Buffer.allocUnsafeSlow(CHUNK_BYTES), Array.from({ length: 400 }, () => i)]
  if (i % 50 === 0) await setImmediate()
}
for (let turn = 0; turn < 10; turn++) await setImmediate()
parentPort?.postMessage({ collections, kept: last.length })
