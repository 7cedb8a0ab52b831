import { captureLogger, fakeClock, type CaptureLogger, type FakeClock } from '@tributary/testkit'
import { LogLevels } from '@tributary/support'
import assert from 'node:assert/strict'
import type { TopicTracking } from '../../config/worker-config.ts'
import { GroupAssignment } from '../../group/group-assignment.ts'
import type { GroupView } from '../../group/group-view.ts'
import { SOLE_GROUP } from '../../group/sole-group.ts'
import { Plugins } from '../../plugins/plugins.ts'
import { soleInternal } from '../../testing/sole-internal.ts'
import { MemoryRunner } from '../../testing/memory-runner.ts'
import { MemoryStorage } from '../../testing/memory-storage.ts'
import { ticksConfig, ticksPlugin } from '../../testing/ticks-plugin.ts'
import { DistributedHerder, type HerderOptions } from '../distributed-herder.ts'
import type { RequestError } from '../../rest/request-error.ts'
import { toRequestError } from '../../rest/rest-errors.ts'
import { HerderError } from '../herder-error.ts'
import { SameThreadChecks } from '../same-thread-checks.ts'

export const WORKER_ID = 'worker:8083'

export interface HerderFixture {
  readonly herder: DistributedHerder
  readonly storage: MemoryStorage
  readonly runner: MemoryRunner
  readonly assignment: GroupAssignment
  /** That of a worker that is alone; a test changes what it needs. */
  readonly group: { -readonly [K in keyof GroupView]: GroupView[K] }
  readonly clock: FakeClock
  readonly logger: CaptureLogger
  /** Runs everything that does not wait for a timer or the test. */
  readonly settle: () => Promise<void>
}

/** A started herder with topics in memory and tasks without threads; `storage`: that of an earlier herder. */
export async function started(
  storage: MemoryStorage = new MemoryStorage(captureLogger()),
  topicTracking?: TopicTracking,
  more?: Partial<HerderOptions>,
): Promise<HerderFixture> {
  const fixture = created(storage, topicTracking, more)
  await fixture.herder.start(new AbortController().signal)
  return fixture
}

const TOPIC_TRACKING: TopicTracking = { isEnabled: true, mayReset: true }

/** A herder that is not started yet. */
export function created(
  storage: MemoryStorage,
  topicTracking: TopicTracking = TOPIC_TRACKING,
  more: Partial<HerderOptions> = {},
): HerderFixture {
  const [clock, logger, plugins] = [fakeClock(), captureLogger(), new Plugins([ticksPlugin()])]
  let runner: MemoryRunner | null = null
  // The worker is alone.
  const assignment = GroupAssignment.all()
  const group = { ...SOLE_GROUP }
  const herder = new DistributedHerder({
    plugins,
    storage,
    clock,
    logger,
    logLevels: new LogLevels('INFO'),
    workerId: WORKER_ID,
    assignment,
    configChecks: new SameThreadChecks({ plugins, workerProperties: { 'bootstrap.servers': 'broker:9092' } }),
    topicTracking,
    serverInfo: { version: '4.3.1', commit: 'abc', kafka_cluster_id: 'id' },
    threadUrl: new URL('file:///no-thread'),
    internal: { ...soleInternal(), group },
    workerProperties: {},
    createRunner: (listener) => (runner = new MemoryRunner(listener)),
    ...more,
  })
  assert.ok(runner !== null)
  return { herder, storage, runner, assignment, group, clock, logger, settle: () => clock.advance(0) }
}

/** Stops the worker and starts another one on the same topics. */
export async function restarted({ herder, storage }: HerderFixture): Promise<HerderFixture> {
  await herder.stop(1_000)
  return started(await MemoryStorage.restarted(storage, captureLogger()))
}

/** The registration of a connector. */
export function request(
  name: string,
  changes: Readonly<Record<string, string>> = {},
): Parameters<DistributedHerder['createConnector']>[0] {
  return { name, config: ticksConfig(name, changes), initialState: null }
}

/** The REST interface's answer to an error of the herder. */
export function answerTo(error: unknown): RequestError {
  assert.ok(error instanceof HerderError)
  return toRequestError(error)
}

/** Whether an error of the herder is answered with this status and message. */
export function isRefused(status: number, message: string | RegExp): (error: unknown) => boolean {
  return (error) => {
    const answer = answerTo(error)
    assert.equal(answer.status, status)
    if (typeof message === 'string') assert.equal(answer.message, message)
    else assert.match(answer.message, message)
    return true
  }
}

/** What the membership does when another worker may have taken over. */
export async function loseAll({ herder, assignment }: HerderFixture): Promise<void> {
  assignment.suspend()
  await herder.work.stopAll()
}
