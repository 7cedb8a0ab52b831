import { captureLogger } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryStorage } from '../testing/memory-storage.ts'
import { ticksConfig } from '../testing/ticks-plugin.ts'
import { ZombieFencing } from './zombie-fencing.ts'

const signal = new AbortController().signal

interface Setting {
  readonly storage: MemoryStorage
  readonly fenced: string[]
  readonly fencing: ZombieFencing
  /** The task-count records in the config topic. */
  readonly counts: () => readonly string[]
}

async function setting(): Promise<Setting> {
  const logger = captureLogger()
  const storage = new MemoryStorage(logger)
  const fenced: string[] = []
  const fencing = new ZombieFencing({
    groupId: 'group',
    configs: storage.configs,
    fenceProducers: (_connector, ids) => {
      fenced.push(...ids)
      return Promise.resolve()
    },
    logger,
  })
  await storage.configs.putConnector('c', ticksConfig('c'), null)
  const counts = (): readonly string[] =>
    storage.configLog.records.filter(({ key }) => key === 'tasks-fencing-c').map(({ value }) => value ?? '')
  return { storage, fenced, fencing, counts }
}

const tasks = (count: number): readonly Record<string, string>[] => Array.from({ length: count }, () => ({}))

test('the first set of tasks fences nothing and leaves its count', async () => {
  const { storage, fenced, fencing, counts } = await setting()
  await storage.configs.putTaskConfigs('c', tasks(1))
  await fencing.fence('c', signal)
  await fencing.fence('c', signal)
  assert.deepEqual([fenced, counts()], [[], ['{"task-count":1}']])
})

test('from one task to one the task itself fences its predecessor; a record is written all the same', async () => {
  const { storage, fenced, fencing, counts } = await setting()
  for (let set = 0; set < 2; set++) {
    await storage.configs.putTaskConfigs('c', tasks(1))
    await fencing.fence('c', signal)
  }
  assert.deepEqual([fenced, counts()], [[], ['{"task-count":1}', '{"task-count":1}']])
})

test('every task of the set before is fenced otherwise, also when the connector was stopped or deleted in between', async () => {
  const { storage, fenced, fencing, counts } = await setting()
  await storage.configs.putTaskConfigs('c', tasks(3))
  await fencing.fence('c', signal)
  await storage.configs.putTaskConfigs('c', tasks(1))
  await fencing.fence('c', signal)
  assert.deepEqual(fenced.splice(0), ['group-c-0', 'group-c-1', 'group-c-2'])

  await storage.configs.putTargetState('c', 'STOPPED')
  await fencing.fence('c', signal)
  assert.deepEqual(fenced.splice(0), ['group-c-0'])
  assert.deepEqual(counts(), ['{"task-count":3}', '{"task-count":1}', '{"task-count":0}'])

  await storage.configs.putTaskConfigs('c', tasks(2))
  await fencing.fence('c', signal)
  await storage.configs.removeConnector('c')
  await storage.configs.putConnector('c', ticksConfig('c'), null)
  await storage.configs.putTaskConfigs('c', tasks(1))
  await fencing.fence('c', signal)
  assert.deepEqual(fenced, ['group-c-0', 'group-c-1'])
})

test('the next worker finds the record in the config topic', async () => {
  const first = await setting()
  await first.storage.configs.putTaskConfigs('c', tasks(2))
  await first.fencing.fence('c', signal)
  const storage = await MemoryStorage.restarted(first.storage, captureLogger())
  assert.equal(storage.configs.taskCountRecord('c'), 2)
  assert.equal(storage.configs.isPendingFencing('c'), false)
})

test('a failed fencing leaves no record, so that the next attempt fences again', async () => {
  const { storage, counts, fencing } = await setting()
  await storage.configs.putTaskConfigs('c', tasks(2))
  await fencing.fence('c', signal)
  await storage.configs.putTaskConfigs('c', tasks(1))
  const failing = new ZombieFencing({
    groupId: 'group',
    configs: storage.configs,
    fenceProducers: () => Promise.reject(new Error('no permission')),
    logger: captureLogger(),
  })
  await assert.rejects(failing.fence('c', signal), /no permission/)
  assert.deepEqual(counts(), ['{"task-count":2}'])
  assert.equal(storage.configs.isPendingFencing('c'), true)
})
