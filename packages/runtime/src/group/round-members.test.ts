import { captureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeMemberState } from './protocol/member-state.ts'
import { RoundMembers } from './round-members.ts'

function metadataOf(url: string): Buffer {
  return encodeMemberState({ version: 2, url, configOffset: 1n, allocation: null, own: null })
}

const group = { memberId: 'a', generationId: 1, leaderId: 'a', protocol: 'sessioned' }

test('a member whose metadata cannot be read is left out and named', () => {
  const logger = captureLogger()
  const members = [
    { memberId: 'a', metadata: metadataOf('http://a:8083/') },
    { memberId: 'stranger', metadata: Buffer.from('x') },
  ]
  const read = new RoundMembers(logger).read({ ...group, members })
  assert.deepEqual(
    read.map(({ memberId, state }) => [memberId, state.url]),
    [['a', 'http://a:8083/']],
  )
  assert.match(logger.lines[0]?.message ?? '', /^Member stranger of the group gets no work/)
})

test('an address that two members have is reported once', () => {
  const logger = captureLogger()
  const reader = new RoundMembers(logger)
  const members = ['a', 'b', 'c'].map((memberId) => ({ memberId, metadata: metadataOf('http://localhost:8083/') }))
  assert.equal(reader.read({ ...group, members }).length, 3)
  reader.read({ ...group, members })
  assert.deepEqual(
    logger.lines.map(({ level, message }) => [level, message.includes('http://localhost:8083/')]),
    [['warn', true]],
  )
})
