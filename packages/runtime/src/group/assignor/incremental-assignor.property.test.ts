import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Work } from '../protocol/work.ts'
import { NO_MEMORY, type AssignorMember, type AssignorMemory, type AssignorResult } from './assignor.ts'
import { assignIncrementally } from './incremental-assignor.ts'
import { itemsOf, workOf, type Item } from './items.ts'

/** A worker of the simulated group. */
interface SimulatedWorker {
  readonly memberId: string
  readonly worker: string
  readonly running: Map<string, Item>
  /** The tasks among them that it has run long enough to know their load. */
  readonly measured: Set<string>
  readonly measures: boolean
  /** The connectors whose plug-in it lacks. */
  readonly lacks: ReadonlySet<string>
  isLeaving: boolean
}

/**
 * A group of workers that start, leave, are lost, and miss assignments. Asserts after each step that nothing runs
 * twice.
 * `configured` has the connectors c0, c1, … with some tasks each.
 */
class SimulatedGroup {
  workers: SimulatedWorker[] = []
  configured: Work = { connectors: [], tasks: [] }
  nowMs = 0
  maxDelayMs = 0
  #memory: AssignorMemory = NO_MEMORY
  #leader = ''
  #ids = 0

  start(worker: string, options: { measures: boolean; lacks: ReadonlySet<string> }): void {
    if (this.workers.some((each) => each.worker === worker)) return
    const memberId = `${worker}-${(this.#ids += 1)}`
    this.workers.push({ memberId, worker, running: new Map(), measured: new Set(), isLeaving: false, ...options })
  }

  wait(ms: number): void {
    this.nowMs += ms
    for (const { running, measured } of this.workers) for (const key of running.keys()) measured.add(key)
  }

  /** The worker is gone, with all that it ran: its lease has ended before the group notices. */
  lose(at: number): void {
    this.workers = this.workers.filter((_, i) => i !== at)
  }

  /** All join and report what they run; then each applies its assignment, except those that never get it. */
  rebalance(missing: ReadonlySet<number> = new Set()): AssignorResult | null {
    const [leader] = this.workers
    if (leader === undefined) return null
    const memory = leader.memberId === this.#leader ? this.#memory : NO_MEMORY
    const members = this.workers.map((each) => this.#reported(each))
    const { configured, nowMs, maxDelayMs } = this
    const result = assignIncrementally({ members, configured, memory, nowMs, maxDelayMs })
    this.#memory = result.memory
    this.#leader = leader.memberId
    // Starts before stops of others: the worst order for what runs twice.
    const got = this.workers.filter((_, i) => !missing.has(i))
    for (const each of got)
      for (const item of itemsOf(result.assignments.get(each.memberId)?.assigned ?? { connectors: [], tasks: [] })) {
        assert.equal(each.lacks.has(item.connector), false)
        each.running.set(item.key, item)
        this.assertNothingRunsTwice()
      }
    for (const each of got)
      for (const item of itemsOf(result.assignments.get(each.memberId)?.revoked ?? { connectors: [], tasks: [] }))
        if (each.running.delete(item.key)) each.measured.delete(item.key)
    return result
  }

  assertNothingRunsTwice(): void {
    const seen = new Set<string>()
    for (const key of this.workers.flatMap(({ running }) => [...running.keys()])) {
      assert.equal(seen.has(key), false, `${key} runs twice`)
      seen.add(key)
    }
  }

  #reported({ memberId, worker, running, measured, measures, lacks, isLeaving }: SimulatedWorker): AssignorMember {
    const loads = [...running.values()].flatMap(({ key, connector, task }) =>
      task === null || !measured.has(key) ? [] : [{ connector, task, bytesPerSecond: loadOf(connector, task) }],
    )
    return {
      memberId,
      worker,
      running: workOf([...running.values()]),
      loads: measures ? loads : null,
      isLeaving,
      canRun: (connector) => !lacks.has(connector),
    }
  }
}

/** A load that is the same in each run, and very different from task to task. */
function loadOf(connector: string, task: number): number {
  return ((Number(connector.slice(1)) * 7 + task * 3) % 11) ** 3 * 100_000
}

function configuredOf(tasks: readonly number[]): Work {
  return {
    connectors: tasks.map((_, i) => `c${i}`),
    tasks: tasks.flatMap((count, i) => Array.from({ length: count }, (_, task) => ({ connector: `c${i}`, task }))),
  }
}

type Step =
  | { readonly tag: 'start'; readonly worker: number; readonly measures: boolean }
  | { readonly tag: 'lose' | 'leave'; readonly at: number }
  | { readonly tag: 'configure'; readonly tasks: readonly number[] }
  | { readonly tag: 'rebalance'; readonly missing: readonly number[] }
  | { readonly tag: 'wait'; readonly ms: number }

const index = fc.nat({ max: 4 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ tag: fc.constant('start' as const), worker: index, measures: fc.boolean() }),
  fc.record({ tag: fc.constantFrom('lose' as const, 'leave' as const), at: index }),
  fc.record({ tag: fc.constant('configure' as const), tasks: fc.array(fc.nat({ max: 3 }), { maxLength: 8 }) }),
  {
    weight: 4,
    arbitrary: fc.record({ tag: fc.constant('rebalance' as const), missing: fc.array(index, { maxLength: 2 }) }),
  },
  fc.record({ tag: fc.constant('wait' as const), ms: fc.nat({ max: 40_000 }) }),
)
const lacks = fc.array(fc.tuple(index, index), { maxLength: 4 })

function apply(group: SimulatedGroup, each: Step, lacking: readonly (readonly [number, number])[]): void {
  const leaving = each.tag === 'leave' ? group.workers[each.at] : undefined
  if (leaving !== undefined) leaving.isLeaving = true
  if (each.tag === 'lose') group.lose(each.at)
  if (each.tag === 'configure') group.configured = configuredOf(each.tasks)
  if (each.tag === 'rebalance') group.rebalance(new Set(each.missing))
  if (each.tag === 'wait') group.wait(each.ms)
  if (each.tag !== 'start') return
  const lackedBy = lacking.filter(([worker]) => worker === each.worker).map(([, connector]) => `c${connector}`)
  group.start(`w${each.worker}`, { measures: each.measures, lacks: new Set(lackedBy) })
}

const settings = { numRuns: 400, seed: 24_000_001 }

test('whatever happens, nothing runs twice, and after two rebalances everything runs, balanced and at rest', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), lacks, fc.constantFrom(0, 30_000), (steps, lacking, delayMs) => {
      const group = new SimulatedGroup()
      group.maxDelayMs = delayMs
      group.configured = configuredOf([1, 1, 2])
      for (const each of steps) apply(group, each, lacking)
      if (!group.workers.some(({ isLeaving }) => !isLeaving)) group.start('w9', { measures: true, lacks: new Set() })
      // A delay that has begun must be over first; a worker that returns may end it.
      if ((group.rebalance()?.delayMs ?? 0) > 0) {
        group.nowMs += 30_000
        group.rebalance()
      }
      group.rebalance()
      assertComplete(group)
      assertAtRest(group)
    }),
    settings,
  )
})

/** Every item runs once, on a member that stays, unless no member can run it. */
function assertComplete(group: SimulatedGroup): void {
  const staying = group.workers.filter(({ isLeaving }) => !isLeaving)
  const possible = itemsOf(group.configured).filter(({ connector }) =>
    staying.some((each) => !each.lacks.has(connector)),
  )
  const running = staying.flatMap((each) => [...each.running.keys()])
  assert.deepEqual(running.toSorted(), possible.map(({ key }) => key).toSorted())
  for (const kind of ['c ', 't ']) assertBalanced(staying, kind)
}

/** No member has two items more than another one that could run one of them. */
function assertBalanced(staying: readonly SimulatedWorker[], kind: string): void {
  const countOf = ({ running }: SimulatedWorker): number =>
    [...running.keys()].filter((key) => key.startsWith(kind)).length
  for (const more of staying)
    for (const less of staying.filter((each) => countOf(more) - countOf(each) >= 2))
      for (const { connector, key } of more.running.values())
        assert.equal(less.lacks.has(connector) || !key.startsWith(kind), true, `${key} should be on ${less.worker}`)
}

function assertAtRest(group: SimulatedGroup): void {
  const result = group.rebalance()
  for (const { assigned, revoked } of result?.assignments.values() ?? [])
    assert.deepEqual(
      [assigned, revoked],
      [
        { connectors: [], tasks: [] },
        { connectors: [], tasks: [] },
      ],
    )
}

test('as few running items as possible move: no balanced distribution is nearer to what runs', () => {
  const distribution = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(
      distribution,
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.nat({ max: 2 })),
      (places, workers, wishes) => {
        // Item i runs on worker places[i], or nowhere when there is no such worker.
        const configured = { connectors: places.map((_, i) => `c${i}`), tasks: [] }
        const members = Array.from({ length: workers }, (_, w) => {
          const running = { connectors: configured.connectors.filter((_, i) => places[i] === w), tasks: [] }
          return { memberId: `m${w}`, worker: `w${w}`, running, loads: null, isLeaving: false }
        })
        // What runs nowhere may prefer the worker that had it; that must not cost another item its place.
        const owners = new Map(itemsOf(configured).map(({ key }, i) => [key, `w${wishes[i] ?? 0}`]))
        const memory = { ...NO_MEMORY, owners }
        const result = assignIncrementally({ members, configured, memory, nowMs: 0, maxDelayMs: 0 })
        const moved = [...result.assignments.values()].reduce((sum, { revoked }) => sum + revoked.connectors.length, 0)
        assert.equal(moved, fewestMoves(places, workers))
      },
    ),
    settings,
  )
})

/** Tries every distribution whose counts differ by at most one. */
function fewestMoves(places: readonly number[], workers: number): number {
  let fewest = Number.POSITIVE_INFINITY
  for (let code = 0; code < workers ** places.length; code += 1) {
    const target = places.map((_, i) => Math.floor(code / workers ** i) % workers)
    const counts = Array.from({ length: workers }, (_, w) => target.filter((each) => each === w).length)
    if (Math.max(...counts) - Math.min(...counts) > 1) continue
    const moves = target.filter((each, i) => (places[i] ?? 0) < workers && each !== places[i]).length
    fewest = Math.min(fewest, moves)
  }
  return fewest
}

test('the same input gives the same assignment, in whichever order the members and connectors are listed', () => {
  const group = fc.array(fc.nat({ max: 3 }), { maxLength: 8 })
  fc.assert(
    fc.property(group, fc.nat({ max: 4 }), fc.gen(), (tasks, workers, random) => {
      const configured = configuredOf(tasks)
      const members = Array.from({ length: workers }, (_, w) => {
        const running = { connectors: configured.connectors.filter((_, i) => i % 5 === w), tasks: [] }
        return { memberId: `m${w}`, worker: `w${w}`, running, loads: null, isLeaving: false }
      })
      const shuffled = random(fc.shuffledSubarray, members, { minLength: members.length })
      const connectors = random(fc.shuffledSubarray, [...configured.connectors], { minLength: tasks.length })
      const given = { memory: NO_MEMORY, nowMs: 0, maxDelayMs: 0 }
      const first = assignIncrementally({ ...given, members, configured })
      const second = assignIncrementally({ ...given, members: shuffled, configured: { ...configured, connectors } })
      for (const { memberId } of members)
        assert.deepEqual(first.assignments.get(memberId), second.assignments.get(memberId))
    }),
    { ...settings, numRuns: 100 },
  )
})
