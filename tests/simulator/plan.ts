import { Random } from './random.ts'

/** Everything that can happen to a simulated cluster. The numbers mean what the simulation makes of the kind. */
export const FAULT_KINDS = [
  // Processes.
  'kill worker',
  'kill worker at a write',
  'vanish worker',
  'terminate worker',
  'freeze worker',
  'freeze worker in a write',
  'freeze task',
  'crash task',
  'set clock',
  'slow clock',
  // The network.
  'cut worker',
  'cut one broker',
  'stall worker',
  'slow network',
  // Brokers.
  'stop broker',
  'move leaders',
  'refuse writes',
  'answer written batches with an error',
  'fill disk of data',
  'fill disk of offsets',
  'restart all brokers',
  'forget sequence numbers',
  'forget transactional ids',
  // The database.
  'restart database',
  'fail over',
  'purge',
  // Requests of an operator.
  'pause',
  'resume',
  'stop',
  'restart',
  'reconfigure',
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

export interface Fault {
  readonly kind: FaultKind
  readonly atMs: number
  readonly forMs: number
  /** Chooses the worker, broker or connector. */
  readonly target: number
  readonly amount: number
}

/** A simulation, as its seed determines it; shrinking removes faults. */
export interface Plan {
  readonly seed: number
  readonly workers: number
  readonly brokers: number
  readonly partitions: number
  /** The number of tasks of each connector. */
  readonly connectors: readonly number[]
  readonly isExactlyOnce: boolean
  readonly boundary: 'poll' | 'interval'
  readonly rebalanceDelayMs: number
  readonly offsetFlushMs: number
  readonly fetchWaitMs: number
  readonly latencyMs: number
  /** What the send buffer of a connection takes at once. */
  readonly sendBufferBytes: number
  /** Faults and changes end then. */
  readonly windowMs: number
  /** Commits of changes: when, to which source, how many. */
  readonly commits: readonly { readonly atMs: number; readonly source: number; readonly count: number }[]
  readonly faults: readonly Fault[]
}

/**
 * One seed in ten is a cluster over two hours: what is renewed, refreshed, compacted or expires after minutes, and
 * faults that come when everything rests. The faults of the others follow each other at once.
 */
const LONG_SEED = 7
/** One in ten has so many faults that most take place during others. */
const DENSE_SEED = 3
/** Commits and faults of a long one, in relation to the others. */
const LONG_DENSITY = 4

/**
 * Every second long one rests between its first and last ten minutes. Then brokers forget the sequence numbers of its
 * producers, and refuse some of the writes that follow.
 */
const RESTING_SEED = 17
const BUSY_MS = 600_000
const REFUSED_MS = 20_000

/** Whether its cluster runs for hours, which takes some seconds. */
export function isLong(seed: number): boolean {
  return seed % 10 === LONG_SEED
}

/** A worker may be cut off for longer than its session. */
const FOR_MS_MAX = 40_000

export function planOf(seed: number): Plan {
  const random = new Random(seed)
  const isDense = seed % 10 === DENSE_SEED
  const windowMs = isLong(seed) ? random.between(5_400_000, 9_000_000) : random.between(40_000, 150_000)
  const density = isLong(seed) ? LONG_DENSITY : 1
  const connectors = Array.from({ length: random.pick([1, 1, 2]) }, () => random.pick([1, 1, 2, 3]))
  const workers = random.pick([1, 2, 3, 3])
  const isExactlyOnce = random.chance(0.4)
  const settings = {
    seed,
    workers,
    brokers: random.pick([1, 2, 3]),
    partitions: random.pick([1, 2, 3]),
    connectors,
    isExactlyOnce,
    boundary: random.pick(['poll', 'interval'] as const),
    rebalanceDelayMs: random.pick([0, 0, 5_000, 30_000]),
    offsetFlushMs: random.pick([500, 2_000, 10_000]),
    fetchWaitMs: random.pick([2_000, 5_000]),
    latencyMs: random.pick([0.2, 1, 10]),
    // Smaller than any request with records.
    sendBufferBytes: seed % 3 === 0 ? 64 : Infinity,
    windowMs,
  }
  const sources = connectors.reduce((sum, tasks) => sum + tasks, 0)
  const isResting = seed % 20 === RESTING_SEED
  const wakesMs = windowMs - BUSY_MS
  const atBusyTime = (atMs: number): number => {
    if (!isResting) return atMs
    return atMs < windowMs / 2 ? atMs % BUSY_MS : wakesMs + (atMs % BUSY_MS)
  }
  const commits = Array.from({ length: random.between(10, 60) * density }, () => ({
    atMs: atBusyTime(random.between(0, windowMs)),
    source: random.between(0, sources - 1),
    count: random.spread(1, 60),
  }))
  const faults = Array.from({ length: isDense ? random.between(20, 40) : random.between(0, 14) * density }, () =>
    faultOf(random, windowMs),
  )
  if (isResting) {
    faults.push(
      { kind: 'forget sequence numbers', atMs: wakesMs - 1, forMs: 0, target: 0, amount: 0 },
      { kind: 'refuse writes', atMs: wakesMs, forMs: REFUSED_MS, target: 0, amount: random.between(0, 4) },
    )
    for (let source = 0; source < sources; source++) commits.push({ atMs: wakesMs + 1, source, count: 1_000 })
  }
  return { ...settings, commits, faults: faults.filter(({ kind }) => isHonest(kind, settings)) }
}

export const LEASE_BREAKERS: ReadonlySet<FaultKind> = new Set(['restart all brokers', 'slow clock'])

function faultOf(random: Random, windowMs: number): Fault {
  const atMs = random.between(3_000, windowMs)
  return {
    kind: random.pick(FAULT_KINDS),
    atMs,
    forMs: Math.min(random.spread(50, FOR_MS_MAX), windowMs - atMs),
    target: random.between(0, 5),
    amount: random.spread(1, 1_000),
  }
}

/**
 * Faults that break what the lease relies on: clocks run equally fast, and the coordinator keeps its members. (The
 * simulated brokers forget them when all restart; Kafka's do not.) Only transactions are safe then.
 */
function isHonest(kind: FaultKind, { workers, isExactlyOnce }: Pick<Plan, 'workers' | 'isExactlyOnce'>): boolean {
  return !LEASE_BREAKERS.has(kind) || workers === 1 || isExactlyOnce
}
