import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeMetadata, encodeMetadata, type WorkerInfo } from './member-metadata.ts'

const info: WorkerInfo = {
  url: 'http://a:8083/',
  group: 'g',
  configTopic: 'configs',
  sessionTimeoutMs: 10_000,
  process: { host: 'a', bootId: 'b', pidNamespace: 'pid:[1]', pid: 7, startTime: '99' },
}

test('it begins with the metadata of Kafka Connect, version 0', () => {
  // version 0, URL with its length, config offset -1
  const head = '0000' + '000e' + '687474703a2f2f613a383038332f' + 'ffffffffffffffff'
  assert.equal(encodeMetadata(info).toString('hex').slice(0, head.length), head)
  assert.deepEqual(decodeMetadata(encodeMetadata(info)), info)
})

test('of a worker of Kafka Connect it contains the URL, in each version of its protocol', () => {
  // By its schemas: version, URL, config offset 5, and from version 1 on an assignment or none
  const v0 = '0000000e687474703a2f2f613a383038332f0000000000000005'
  const v2 = '0002000e687474703a2f2f613a383038332f0000000000000005'
  const assignment = '0002000000026d310000000000000000000000000000'
  const cases = [v0, `${v2}ffffffff`, `${v2}00000016${assignment}`]
  for (const hex of cases) assert.equal(decodeMetadata(Buffer.from(hex, 'hex')).url, 'http://a:8083/', hex)
  for (const hex of cases) assert.equal(decodeMetadata(Buffer.from(hex, 'hex')).process ?? null, null, hex)
})

test('nothing is known from bytes of another kind', () => {
  const damaged = encodeMetadata({ ...info, url: '' }).subarray(0, 40)
  for (const bytes of [Buffer.alloc(0), Buffer.from('00', 'hex'), Buffer.from('00007fff61', 'hex')])
    assert.deepEqual(decodeMetadata(bytes), { url: null })
  assert.deepEqual(decodeMetadata(damaged), { url: '' })
  const strange = Buffer.concat([encodeMetadata(info).subarray(0, 30), Buffer.from('{"pid":-1,"process":{"pid":"x"}}')])
  assert.deepEqual(decodeMetadata(strange), { url: 'http://a:8083/', process: null })
})
