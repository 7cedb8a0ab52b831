import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connectFiles, runProgram } from '@tributary/testkit'
import { encodeAssignment, type Assignment } from './assignment.ts'
import { encodeMemberState } from './member-state.ts'

const assignment: Assignment = {
  version: 2,
  error: 0,
  leader: 'm1',
  leaderUrl: 'http://a:8083/',
  configOffset: 5n,
  assigned: { connectors: ['ä'], tasks: [{ connector: 'ä', task: 0 }] },
  revoked: { connectors: [], tasks: [{ connector: 'b', task: 3 }] },
  delayMs: 7,
}

const own = {
  version: '0.2.0',
  features: ['loads'],
  group: 'g',
  configTopic: 'c',
  offsetTopic: 'o',
  statusTopic: 's',
  sessionTimeoutMs: 10_000,
  process: null,
  loads: [{ connector: 'ä', task: 0, bytesPerSecond: 3 }],
  isLeaving: false,
}

const read =
  "Assignment{error=0, leader='m1', leaderUrl='http://a:8083/', offset=5, connectorIds=[ä], taskIds=[ä-0], revokedConnectorIds=[], revokedTaskIds=[b-3], delay=7}"

/** A document that this code writes, and Kafka Connect's reading of it. */
const cases: readonly (readonly [kind: string, bytes: Buffer, expected: string])[] = [
  ['assignment', encodeAssignment(assignment), read],
  ['assignment', encodeAssignment({ ...assignment, version: 1 }), read],
  [
    'assignment0',
    encodeAssignment({ ...assignment, version: 0, revoked: null, delayMs: 0 }),
    "Assignment{error=0, leader='m1', leaderUrl='http://a:8083/', offset=5, connectorIds=[ä], taskIds=[ä-0]}",
  ],
  [
    'metadata',
    encodeMemberState({ version: 2, url: 'http://b/', configOffset: 9n, allocation: assignment, own }),
    `http://b/ 9 ${read}`,
  ],
  [
    'metadata0',
    encodeMemberState({ version: 0, url: 'http://b/', configOffset: 9n, allocation: null, own }),
    'http://b/ 9',
  ],
]

test('Kafka Connect reads what we write, and ignores our own data', async () => {
  const { classPath } = await connectFiles()
  const program = fileURLToPath(new URL('../../../fixtures/group-protocol/GroupProtocolVectors.java', import.meta.url))
  const input = cases.map(([kind, bytes]) => `${kind}\t${bytes.toString('hex')}\n`).join('')
  const { stdout } = await runProgram('java', ['-Dfile.encoding=UTF-8', '-cp', classPath, program, 'read'], { input })
  assert.deepEqual(
    stdout.trimEnd().split('\n'),
    cases.map(([, , expected]) => expected),
  )
})
