import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimit } from './rate-limit.ts'

test('in any time, no more is spent than the limit allows, and one batch', () => {
  const limit = new RateLimit(1_000)
  const spent: { readonly ms: number; readonly amount: number }[] = []
  let seed = 42
  // 100 s in steps of 10 ms, with long silences.
  for (let ms = 0; ms < 100_000; ms += 10) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    if (ms % 20_000 > 15_000 || limit.restMs(ms) > 0) continue
    const amount = 1 + (seed % 500)
    limit.spent(amount, ms)
    spent.push({ ms, amount })
  }
  for (const [i, { ms: startMs }] of spent.entries()) {
    let sum = 0
    for (const { ms, amount } of spent.slice(i)) {
      sum += amount
      assert.ok(sum <= ms - startMs + 500, `${sum} from ${startMs} to ${ms} ms`)
    }
  }
  const total = spent.reduce((sum, { amount }) => sum + amount, 0)
  // A quarter of the time is silence.
  assert.ok(total > 70_000 && total <= 75_500 + 2_500, String(total))
})
