import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isReadableTopic } from './readable-topic.ts'

const cases: readonly (readonly [topic: string, allowed: readonly string[], isReadable: boolean])[] = [
  ['shop.inv.orders', [], true],
  ['shop', [], true],
  ['__debezium-heartbeat.shop', [], true],
  ['other-connect-configs', [], false],
  ['shop-connect-configs', [], false],
  ['shopping.inv.orders', [], false],
  ['__consumer_offsets', [], false],
  ['__consumer_offsets', ['__consumer_offsets', '*'], false],
  ['__debezium-heartbeat.other', [], false],
  ['orders', ['orders'], true],
  ['orders.eu', ['orders'], false],
  ['routed-orders', ['x', 'routed-*'], true],
]

for (const [topic, allowed, isReadable] of cases) {
  test(`${topic} is ${isReadable ? 'readable' : 'not readable'} with [${allowed.join()}]`, () => {
    assert.equal(isReadableTopic(topic, { 'topic.prefix': 'shop' }, allowed), isReadable)
  })
}

test('without a prefix only topics that the worker allows are readable, and the heartbeat topic has its own prefix', () => {
  assert.equal(isReadableTopic('.x', {}, []), false)
  assert.equal(isReadableTopic('orders', {}, ['orders']), true)
  const config = { 'topic.prefix': 'shop', 'topic.heartbeat.prefix': '__hb' }
  assert.equal(isReadableTopic('__hb.shop', config, []), true)
})
