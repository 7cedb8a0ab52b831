import type { ConfigMap } from '@tributary/connect-api'
import { eventually, fakeClock, type FakeClock, casesOfTier, fullTest } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ticksConfig } from '../../testing/ticks-plugin.ts'
import type { CheckRequest } from '../config-checks.ts'
import { SpareThreads } from '../../worker/spare-threads.ts'
import { HerderError } from '../herder-error.ts'
import { CheckThreads } from './check-threads.ts'

const never = new AbortController().signal
const WORKER = {
  'config.providers': 'env',
  'config.providers.env.class': 'org.apache.kafka.common.config.provider.EnvVarConfigProvider',
}

interface Fixture extends AsyncDisposable {
  readonly threads: CheckThreads
  readonly spares: SpareThreads
  readonly clock: FakeClock
}

function fixture(): Fixture {
  const clock = fakeClock()
  const threadUrl = new URL('./testing/hostile-thread.ts', import.meta.url)
  const spares = new SpareThreads({ threadUrl, clock })
  const threads = new CheckThreads({ threadUrl, lend: () => spares.lend(), workerProperties: WORKER, clock })
  const stop = async (): Promise<void> => {
    await threads.stop()
    await spares.discard()
  }
  return { threads, spares, clock, [Symbol.asyncDispose]: stop }
}

function request(script: string, more: ConfigMap = {}): CheckRequest {
  return { config: ticksConfig('c', { script, ...more }), hasStoredOffsets: false }
}

/** The thread that runs the check. */
async function threadOf({ threads }: Fixture): Promise<number> {
  const values = await threads.check(request('reports its thread'), never)
  return Number(values.find(({ name }) => name === 'ticks.thread')?.errors[0])
}

/** The problem with which a check fails, and the text of its error with causes and stack. */
async function failureOf(check: Promise<unknown>): Promise<{ readonly message: string; readonly all: string }> {
  const error: unknown = await check.then(
    () => assert.fail('the check did not fail'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof HerderError)
  const cause = error.cause instanceof Error ? error.cause : new Error('')
  const all = [error.stack, cause.stack, cause.cause instanceof Error ? cause.cause.stack : ''].join('\n')
  const { problem } = error
  return { message: problem.tag === 'validation failed' ? problem.reason : problem.tag, all }
}

test('values and errors cross the threads; a warning shows the reference instead of its value', async () => {
  await using fixed = fixture()
  const values = await fixed.threads.check(
    request('', { 'interval.ms': 'soon', 'ticks.password': '${env:PATH}' }),
    never,
  )
  const named = new Map(values.map((value) => [value.name, value]))
  assert.deepEqual(named.get('interval.ms')?.errors, [
    'Invalid value soon for configuration interval.ms: Not a number of type INT',
  ])
  assert.equal(named.get('interval.ms')?.value, null)
  assert.equal(named.get('ticks.password')?.value, '[hidden]')
  const warnings = await fixed.threads.warnings(request('', { 'ticks.password': '${env:PATH}' }), never)
  assert.deepEqual(warnings, [{ property: 'ticks.password', message: '${env:PATH} is weak' }])
})

test('an error of a check keeps its kind and its masked text', async () => {
  await using fixed = fixture()
  const { message, all } = await failureOf(
    fixed.threads.check(request('fails', { 'ticks.password': '${env:PATH}' }), never),
  )
  assert.equal(message, 'The clock ${env:PATH} is gone.')
  // The form of the variable's value.
  assert.doesNotMatch(all, /bin:\//)
  const unknown = { config: { name: 'c', 'connector.class': 'org.example.Gone' }, hasStoredOffsets: false }
  assert.equal((await failureOf(fixed.threads.check(unknown, never))).message, 'unknown connector class')
})

fullTest('a check that fills its heap ends alone', async () => {
  await using fixed = fixture()
  const { message } = await failureOf(
    fixed.threads.check(request('fills the heap', { 'ticks.password': 'noon' }), never),
  )
  assert.match(message, /^The check of the configuration of connector c was ended while asking the clock at \[hidden\]/)
  assert.match(message, /because it needed more than 256 MB of memory\. /)
  assert.ok((await threadOf(fixed)) > 0)
})

for (const script of casesOfTier('checks that never end', ['computes forever', 'waits forever'])) {
  test(`a check that ${script} is ended after a minute; others run meanwhile`, async () => {
    await using fixed = fixture()
    let isSettled = false
    const failure = failureOf(fixed.threads.check(request(script), never)).finally(() => (isSettled = true))
    const asking = 'asking the clock at undefined'
    await eventually('the connector is asked', () => fixed.threads.doing[0] === asking)
    const other = threadOf(fixed)
    await fixed.clock.advance(500)
    assert.ok((await other) > 0)
    assert.equal(isSettled, false)
    await fixed.clock.advance(59_500)
    assert.match((await failure).message, /was ended after 60 s, while asking the clock at undefined\. /)
    assert.ok((await threadOf(fixed)) > 0)
  })
}

test('a thread that ends by itself fails its check, without a secret', async () => {
  await using fixed = fixture()
  const broken = await failureOf(
    fixed.threads.check(request('throws beside the check', { 'ticks.password': 'hunter2-hunter2' }), never),
  )
  assert.match(broken.message, /ended unexpectedly, while [a-z :[\]]+: TypeError\. /)
  assert.match(broken.all, /at .*hostile-thread\.ts/)
  assert.doesNotMatch(broken.all, /hunter2/)
  const exited = await failureOf(fixed.threads.check(request('exits'), never))
  assert.match(exited.message, /ended unexpectedly, .*: exit code 3\. /)
  assert.ok((await threadOf(fixed)) > 0)
})

fullTest('a thread that has checked is kept for two seconds', async () => {
  await using fixed = fixture()
  const first = await threadOf(fixed)
  await fixed.clock.advance(1_999)
  assert.equal(await threadOf(fixed), first)
  await fixed.clock.advance(2_000)
  await eventually('the thread has ended', () => fixed.threads.doing.length === 0)
  assert.notEqual(await threadOf(fixed), first)
})

test('the thread that waits for a task runs the checks, and then gets its task', async () => {
  await using fixed = fixture()
  fixed.spares.spawnFor('a-0')
  const used = new Set(await Promise.all(Array.from({ length: 10 }, () => threadOf(fixed))))
  // The time that it is kept begins anew with each check.
  await fixed.clock.advance(9_999)
  used.add(await threadOf(fixed))
  await fixed.clock.advance(9_999)
  const thread = fixed.spares.take('a-0')
  assert.deepEqual(used, new Set([thread.threadId]))
  assert.deepEqual(fixed.threads.doing, [])
  assert.equal(thread.listenerCount('message'), 0, 'what the task reports is not taken for a result of a check')
  await thread.terminate()
})

test('a task does not wait for a check that uses the thread', async () => {
  await using fixed = fixture()
  fixed.spares.spawnForAny()
  const stop = new AbortController()
  const running = failureOf(fixed.threads.check(request('waits forever'), stop.signal))
  const thread = fixed.spares.take('a-0')
  assert.ok(thread.threadId > 0)
  stop.abort()
  assert.equal((await running).message, 'worker stopping')
  await thread.terminate()
})

test('a check that fills the heap of a thread that waits for a task ends it', async () => {
  await using fixed = fixture()
  fixed.spares.spawnForAny()
  let isSettled = false
  const failure = failureOf(fixed.threads.check(request('fills the heap'), never)).finally(() => (isSettled = true))
  await eventually('the heap is measured, and the check ended', async () => {
    await fixed.clock.advance(100)
    return isSettled
  })
  assert.match((await failure).message, /because it needed more than 512 MB of memory\. /)
  assert.ok((await threadOf(fixed)) > 0)
})

test('many checks at once share a thread while it answers', async () => {
  await using fixed = fixture()
  const used = new Set(await Promise.all(Array.from({ length: 50 }, () => threadOf(fixed))))
  assert.equal(used.size, 1)
})

/** Four checks that never end, each in a thread. */
async function stuck({ threads, clock }: Fixture, signal: AbortSignal): Promise<readonly Promise<string>[]> {
  const checks = Array.from({ length: 4 }, async () => {
    const { message } = await failureOf(threads.check(request('waits forever'), signal))
    return message
  })
  for (let n = 1; n < 4; n += 1) await clock.advance(500)
  assert.equal(threads.doing.length, 4)
  return checks
}

test('a check beyond the fourth waits for a thread; beyond 200 waiting ones it is refused', async () => {
  await using fixed = fixture()
  const stop = new AbortController()
  const running = await stuck(fixed, stop.signal)
  const waiting = Array.from({ length: 200 }, () => threadOf(fixed))
  await fixed.clock.advance(500)
  assert.equal(fixed.threads.doing.length, 4)
  const refused = await failureOf(fixed.threads.check(request(''), never))
  assert.match(refused.message, /cannot be checked now: 4 checks run, and 200 wait for one of them to end\. /)
  stop.abort()
  assert.deepEqual(new Set(await Promise.all(running)), new Set(['worker stopping']))
  assert.equal((await Promise.all(waiting)).length, 200)
})

test('a check that finds no thread is ended after a minute, too', async () => {
  await using fixed = fixture()
  const running = await stuck(fixed, never)
  const late = failureOf(fixed.threads.check(request(''), never))
  await fixed.clock.advance(60_000)
  // The fourth ends at the same moment: which of the two is first depends on the threads.
  assert.match((await late).message, /was ended after 60 s, while (waiting for 4 other checks|loading its code)\. /)
  await Promise.all(running)
})

test('a stopped worker ends its checks and starts no thread', async () => {
  await using fixed = fixture()
  const stop = new AbortController()
  const running = failureOf(fixed.threads.check(request('computes forever'), stop.signal))
  stop.abort()
  assert.equal((await running).message, 'worker stopping')
  await fixed.threads.stop()
  await eventually('no thread is left', () => fixed.threads.doing.length === 0)
  await assert.rejects(fixed.threads.check(request(''), never), HerderError)
})
