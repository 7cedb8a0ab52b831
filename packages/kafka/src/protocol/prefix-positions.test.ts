import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PREFIX_SLOTS, PrefixPositions } from './prefix-positions.ts'

const NOT_IN_BLOCK = 2 ** 29

test('the distance of a prefix is counted from where it was written last', () => {
  const positions = new PrefixPositions()
  const [key, value] = [Buffer.from('key'), Buffer.from('value')]

  assert.ok(positions.move(positions.slotOf(key), 10) > NOT_IN_BLOCK)
  assert.ok(positions.move(positions.slotOf(value), 40) > NOT_IN_BLOCK)
  assert.equal(positions.move(positions.slotOf(key), 500), 490)
  assert.equal(positions.move(positions.slotOf(key), 700), 200)
  assert.equal(positions.move(positions.slotOf(value), 750), 710)
})

test('equal bytes in another object are another prefix', () => {
  const positions = new PrefixPositions()
  positions.move(positions.slotOf(Buffer.from('same')), 10)

  assert.ok(positions.move(positions.slotOf(Buffer.from('same')), 20) > NOT_IN_BLOCK)
})

test('after clear no prefix is in the block, and slots stay', () => {
  const positions = new PrefixPositions()
  const prefix = Buffer.from('prefix')
  const slot = positions.slotOf(prefix)
  positions.move(slot, 10)
  positions.clear()

  assert.equal(positions.slotOf(prefix), slot)
  assert.ok(positions.move(slot, 20) > NOT_IN_BLOCK)
})

test('one prefix more than there are slots replaces the oldest, which is forgotten', () => {
  const positions = new PrefixPositions()
  const prefixes = Array.from({ length: PREFIX_SLOTS + 1 }, (_, i) => Buffer.from(`prefix ${i}`))
  const slots = prefixes.map((prefix) => {
    const slot = positions.slotOf(prefix)
    positions.move(slot, 10)
    return slot
  })

  assert.deepEqual(slots, [0, 1, 2, 3, 4, 5, 6, 7, 0])
  const [first, second] = prefixes
  assert.equal(positions.move(positions.slotOf(second ?? Buffer.alloc(0)), 30), 20)
  assert.ok(positions.move(positions.slotOf(first ?? Buffer.alloc(0)), 30) > NOT_IN_BLOCK)
})
