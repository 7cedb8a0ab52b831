import type { ConfigMap, LossForecast, LossProbe } from '@tributary/connect-api'
import { silentLogger } from '@tributary/support'
import { fakeClock, seededRandom, type FakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Plugins } from '../plugins/plugins.ts'
import { TicksConnector, ticksConfig, ticksPlugin } from '../testing/ticks-plugin.ts'
import { LossWatch } from './loss-watch.ts'

// What the servers of the tests do not have: hundreds of connectors, and limits of the total size.

const KEPT: LossForecast = {
  state: 'kept',
  earliestMs: null,
  expectedMs: null,
  isRunningOut: false,
  retentionSeconds: null,
  bytes: null,
  files: null,
  neededFile: 'b.1',
  backlogBytes: 0,
  backlogFiles: 1,
  growthBytesPerSecond: 0,
  retention: [],
  notes: [],
  problem: null,
}

interface Measured {
  readonly clock: FakeClock
  readonly watch: LossWatch
  /** When each measurement began, after the start of the watch. */
  readonly beginsMs: number[]
  /** The most at the same time. */
  readonly most: () => number
}

function measured(count: number, answer: (clock: FakeClock) => LossForecast, lastsMs: number): Measured {
  const clock = fakeClock()
  const startMs = clock.now()
  const beginsMs: number[] = []
  let [running, most] = [0, 0]
  class Connector extends TicksConnector {
    readonly lossProbe = (): LossProbe => ({
      intervalMs: 60_000,
      warningSeconds: [],
      measure: async (_offset, signal) => {
        beginsMs.push(clock.now() - startMs)
        most = Math.max(most, ++running)
        try {
          if (lastsMs > 0) await clock.sleep(lastsMs, signal)
          return answer(clock)
        } finally {
          running--
        }
      },
    })
  }
  const configs = new Map<string, { readonly config: ConfigMap }>()
  for (let index = 0; index < count; index++) configs.set(`c${index}`, { config: ticksConfig(`c${index}`) })
  const watch = new LossWatch({
    configs: { names: [...configs.keys()], get: ((name: string) => configs.get(name) ?? null) as never },
    plugins: new Plugins([ticksPlugin(new Connector())]),
    offsets: { offsets: () => [] } as never,
    workerProperties: {},
    clock,
    logger: silentLogger,
    random: seededRandom(1),
  })
  return { clock, watch, beginsMs, most: () => most }
}

test('hundreds of connectors are measured, at most four at a time', async () => {
  const { clock, watch, beginsMs, most } = measured(300, () => KEPT, 500)
  await using _ = watch
  for (let second = 0; second < 62; second++) await clock.advance(1000)
  assert.ok(beginsMs.length >= 300, `${beginsMs.length} measurements`)
  assert.equal(most(), 4)
})

test('the measurements of hundreds of connectors are spread over a minute, and remain so', async () => {
  const { clock, watch, beginsMs } = measured(300, () => KEPT, 0)
  await using _ = watch
  for (let second = 0; second < 125; second++) await clock.advance(1000)
  assert.ok(beginsMs.length >= 600, `${beginsMs.length} measurements`)
  const bySecond = Object.values(Object.groupBy(beginsMs, (ms) => Math.floor(ms / 1000)))
  const highest = Math.max(...bySecond.map((begins) => begins?.length ?? 0))
  // Five at the mean.
  assert.ok(highest <= 20, `${highest} in a second`)
})

test('a single new connector is measured within two seconds', async () => {
  const { clock, watch, beginsMs } = measured(1, () => KEPT, 0)
  await using _ = watch
  await clock.advance(2000)
  assert.equal(beginsMs.length, 1)
})

test('a limit in bytes without a time is ok, not unlimited', async () => {
  for (const [bytes, status] of [
    [null, 'unlimited'],
    [500, 'ok'],
  ] as const) {
    const { clock, watch } = measured(1, () => ({ ...KEPT, bytes }), 0)
    await using _ = watch
    await clock.advance(2000)
    const found = watch.read('c0')
    assert.deepEqual([found?.status, found?.seconds, found?.running_out], [status, null, false])
  }
})

test('whether the time runs out is what the source says', async () => {
  for (const isRunningOut of [true, false]) {
    const { clock, watch } = measured(1, (clock) => ({ ...KEPT, earliestMs: clock.now() + 60_000, isRunningOut }), 0)
    await using _ = watch
    await clock.advance(2000)
    assert.equal(watch.read('c0')?.running_out, isRunningOut)
  }
})
