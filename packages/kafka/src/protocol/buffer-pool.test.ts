import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BufferPool } from './buffer-pool.ts'

test('a returned buffer is reused for the next request of its size', () => {
  const pool = new BufferPool(1_000_000)
  const small = pool.take(20_000)
  const large = pool.take(100_000)
  assert.deepEqual([small.length, large.length, pool.take(1).length], [32_768, 131_072, 16_384])
  pool.release(small)
  pool.release(large)

  assert.equal(pool.take(70_000), large)
  assert.equal(pool.take(32_768), small)
  assert.notEqual(pool.take(32_768), small)
})

test('the pool keeps no more than its limit, and no buffer of another size', () => {
  const pool = new BufferPool(40_000)
  const [one, other] = [pool.take(32_768), pool.take(32_768)]
  pool.release(one)
  pool.release(other)
  pool.release(Buffer.alloc(20_000))

  assert.equal(pool.take(32_768), one)
  assert.notEqual(pool.take(32_768), other)
})

test('a grown buffer keeps its content', () => {
  const pool = new BufferPool(1_000_000)
  const old = pool.take(16_384)
  old.write('content')

  const larger = pool.grow(old, 7, 50_000)

  assert.equal(larger.toString('utf8', 0, 7), 'content')
  assert.equal(larger.length, 65_536)
  assert.equal(pool.take(16_384), old)
})
