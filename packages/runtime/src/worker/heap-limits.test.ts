import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heapLimits } from './heap-limits.ts'

test('four tasks have full heaps, more of them less each, and none too little', () => {
  const heaps = [0, 3, 4, 7, 19, 199].map((running) => heapLimits(running))
  assert.deepEqual(heaps, [
    { youngMb: 32, oldMb: 40 },
    { youngMb: 32, oldMb: 40 },
    { youngMb: 26, oldMb: 32 },
    { youngMb: 16, oldMb: 32 },
    { youngMb: 16, oldMb: 32 },
    { youngMb: 16, oldMb: 32 },
  ])
})
