import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOf, stateOf } from './member-metadata.ts'

/** By Connect's schemas: version, URL with its length, config offset 5, and from version 1 on an allocation or none. */
const V0 = '0000000e687474703a2f2f613a383038332f0000000000000005'
const V2 = '0002000e687474703a2f2f613a383038332f0000000000000005ffffffff'

function member(hex: string): Parameters<typeof nameOf>[0] {
  return { memberId: 'm', clientId: 'connect-a:8083', host: '10.0.0.1', metadata: Buffer.from(hex, 'hex') }
}

test('a worker of Kafka Connect is named by its URL, in each version of its protocol', () => {
  for (const hex of [V0, V2]) {
    assert.equal(nameOf(member(hex)), 'worker http://a:8083/ (client connect-a:8083 at 10.0.0.1)')
    assert.equal(stateOf(member(hex))?.own, null)
  }
})

test('nothing is known of a member that is joining, and of one of another kind', () => {
  for (const hex of ['', '00', '00007fff61']) {
    assert.equal(stateOf(member(hex)), null)
    assert.equal(nameOf(member(hex)), 'worker (client connect-a:8083 at 10.0.0.1)')
  }
})
