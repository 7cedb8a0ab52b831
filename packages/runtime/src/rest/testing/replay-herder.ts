import assert from 'node:assert/strict'
import { ConfigDef, type SourcePlugin } from '@tributary/connect-api'
import { LogLevels, silentLogger, systemClock } from '@tributary/support'
import { DistributedHerder } from '../../herder/distributed-herder.ts'
import { SameThreadChecks } from '../../herder/same-thread-checks.ts'
import { GroupAssignment } from '../../group/group-assignment.ts'
import { Plugins } from '../../plugins/plugins.ts'
import { soleInternal } from '../../testing/sole-internal.ts'
import { MemoryRunner } from '../../testing/memory-runner.ts'
import { MemoryStorage } from '../../testing/memory-storage.ts'

/** Replaces the recorded connector: accepts every configuration and has one task. */
const connectorPlugin: SourcePlugin = {
  type: 'source',
  className: 'io.debezium.connector.mysql.MySqlConnector',
  version: '3.6.1.Final',
  taskClassName: 'io.debezium.connector.mysql.MySqlConnectorTask',
  createConnector: () => ({
    config: () => new ConfigDef([]),
    validate: () => Promise.resolve({}),
    taskConfigs: (config) => [config],
  }),
  createTask: () => {
    throw new Error('the replay worker runs no tasks')
  },
}

export interface ReplayWorker {
  readonly herder: DistributedHerder
  readonly storage: MemoryStorage
  readonly runner: MemoryRunner
}

/** A worker's herder with internal topics in memory and without real tasks, for replaying recorded requests. */
export async function startReplayWorker(): Promise<ReplayWorker> {
  const storage = new MemoryStorage(silentLogger)
  const plugins = new Plugins([connectorPlugin])
  let runner: MemoryRunner | null = null
  const herder = new DistributedHerder({
    plugins,
    storage,
    clock: systemClock,
    logger: silentLogger,
    logLevels: new LogLevels('WARN'),
    assignment: GroupAssignment.all(),
    workerId: '127.0.0.1:8083',
    configChecks: new SameThreadChecks({ plugins, workerProperties: { 'bootstrap.servers': 'broker:9092' } }),
    topicTracking: { isEnabled: true, mayReset: true },
    serverInfo: { version: '4.3.1', commit: '26b251a451ce941d', kafka_cluster_id: 'AAAAAAAAQACAAAAAAAAAAA' },
    threadUrl: new URL('file:///no-thread'),
    internal: soleInternal(),
    workerProperties: {},
    createRunner: (listener) => {
      runner = new MemoryRunner(listener)
      runner.startsAtOnce = true
      return runner
    },
  })
  await herder.start(new AbortController().signal)
  assert.ok(runner !== null)
  return { herder, storage, runner }
}
