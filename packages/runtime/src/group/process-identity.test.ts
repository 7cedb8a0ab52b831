import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { present } from '@tributary/support'
import { ownProcess, processState } from './process-identity.ts'

const own = present(ownProcess(), 'the identity of this process')

test('this process runs; one with its id that started at another time has ended', () => {
  assert.equal(processState(own, own), 'running')
  assert.equal(processState({ ...own, startTime: `${Number(own.startTime) - 1}` }, own), 'ended')
})

test('a killed process has ended, also while its parent has not noticed', async () => {
  // The shell becomes a sleeping program that does not ask for the exit code of its child.
  const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const zombie = Number(line.toString())
  process.kill(zombie, 'SIGKILL')
  const identity = { ...own, pid: zombie, startTime: '1' }
  assert.equal(processState(identity, own), 'ended')
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  assert.equal(processState({ ...identity, pid: present(parent.pid, 'the id of a started process') }, own), 'ended')
})

test('nothing is known of processes elsewhere, and nothing without an identity of its own', () => {
  const ended = { ...own, startTime: '1' }
  assert.equal(processState(ended, own), 'ended')
  for (const elsewhere of [{ host: 'other' }, { bootId: 'other' }, { pidNamespace: 'pid:[1]' }])
    assert.equal(processState({ ...ended, ...elsewhere }, own), 'unknown')
  assert.equal(processState(ended, null), 'unknown')
})
