import { createLogger, toError, type Logger } from '@tributary/support'
import { Brokers } from './brokers.ts'
import { SimulatedDisk } from './broker-storage.ts'
import { Checker, type Violation } from './checker.ts'
import { Database } from './database.ts'
import { FaultInjector } from './faults.ts'
import { Network } from './network.ts'
import { Operator } from './operator.ts'
import { LEASE_BREAKERS, type FaultKind, type Plan } from './plan.ts'
import { Random } from './random.ts'
import { Scheduler, type Domain } from './scheduler.ts'
import type { Seat, SimulatedCluster } from './simulated-cluster.ts'
import { sourcePlugins, SOURCE_CLASS, type SourceWatch } from './source-plugin.ts'
import { WorkerProcess } from './worker-process.ts'

export interface SimulationOptions {
  /** Gets the lines of all processes. Absent: nothing is logged. */
  readonly print?: (line: string) => void
  /** Ends the simulation after this step. */
  readonly untilStep?: number
}

export interface Outcome {
  readonly violations: readonly Violation[]
  readonly simulatedMs: number
  readonly steps: number
  /** Faults that took place. */
  readonly faults: ReadonlyMap<FaultKind, number>
  readonly changes: number
  /** Runs of tasks. */
  readonly runs: number
  /** Of the steps and bytes of all batches that were written, without statuses: equal for equal simulations. */
  readonly fingerprint: number
}

const OFFSET_TOPIC = 'sim-offsets'
const STATUS_TOPIC = 'sim-statuses'
/** The assumption of the lease: four fifths of a session, which is 10 s. */
const LATENCY_MS_MAX = 900
const CHECK_MS = 500
/** The longest pause between two starts of a task is five minutes. */
const CONVERGENCE_MS = 700_000

/** A run of a task that has started and not stopped. */
interface LiveRun {
  readonly source: string
  readonly domain: Domain
}

/** Simulates a plan. */
export function simulate(plan: Plan, options: SimulationOptions = {}): Promise<Outcome> {
  return new Simulation(plan, options).run()
}

class Simulation implements SimulatedCluster {
  readonly plan: Plan
  readonly scheduler = new Scheduler()
  readonly random: Random
  readonly network: Network
  readonly database: Database
  readonly disk: SimulatedDisk
  readonly brokers: Brokers
  readonly checker: Checker
  readonly seats: readonly Seat[]
  readonly sources: readonly string[]
  readonly connectors: readonly string[]
  readonly #options: SimulationOptions
  readonly #violations: Violation[] = []
  readonly #live = new Map<number, LiveRun>()
  readonly #operator: Operator
  readonly #faults: FaultInjector
  #runs = 0
  /** The run of each source that began last. */
  readonly #latestRuns = new Map<string, number>()
  #fingerprint = 0
  #isConverged = false

  constructor(plan: Plan, options: SimulationOptions) {
    const { scheduler } = this
    this.plan = plan
    this.#options = options
    this.random = new Random(plan.seed ^ 0x5eed)
    this.network = new Network(scheduler, this.random.fork(), LATENCY_MS_MAX)
    this.network.latencyMs = plan.latencyMs
    this.network.sendBufferBytes = plan.sendBufferBytes
    this.network.sendsForTheDead = plan.isExactlyOnce
    this.database = new Database(scheduler, this.network)
    this.checker = new Checker({
      isExactlyOnce: plan.isExactlyOnce,
      partitions: plan.partitions,
      offsetTopic: OFFSET_TOPIC,
      now: () => ({ ms: scheduler.nowMs, step: scheduler.steps }),
      onViolation: (violation) => this.violate(violation),
    })
    this.disk = new SimulatedDisk((topic, partition, batch) => this.#onAppend(topic, partition, batch))
    this.brokers = new Brokers({
      count: plan.brokers,
      partitions: plan.partitions,
      fetchWaitMs: plan.fetchWaitMs,
      disk: this.disk,
      scheduler,
      network: this.network,
      random: this.random.fork(),
      onAcknowledged: (topic, partition, records) => this.checker.onAcknowledged(topic, partition, records),
    })
    this.connectors = plan.connectors.map((_, i) => `c${i}`)
    this.sources = plan.connectors.flatMap((tasks, i) => Array.from({ length: tasks }, (_, task) => `c${i}-${task}`))
    this.seats = Array.from({ length: plan.workers }, (_, i) => ({
      host: `worker-${i + 1}`,
      process: null,
      incarnation: 0,
    }))
    this.#operator = new Operator(this)
    this.#faults = new FaultInjector(this, this.#operator)
  }

  async run(): Promise<Outcome> {
    const { scheduler, plan } = this
    const onRejection = (reason: unknown): void => this.violate(this.#now('unhandled rejection', describe(reason)))
    process.on('unhandledRejection', onRejection)
    try {
      for (const [i, seat] of this.seats.entries()) scheduler.at(i * 700, null, () => this.startWorker(seat))
      for (const { atMs, source, count } of plan.commits) {
        scheduler.at(atMs, null, () => this.database.commit(this.sources[source] ?? '', count))
      }
      for (const fault of plan.faults) scheduler.at(fault.atMs, null, () => this.#faults.inject(fault))
      this.#operator.start()
      scheduler.at(plan.windowMs + 1, null, () => this.#quiet())
      await scheduler.run(plan.windowMs + CONVERGENCE_MS, () => this.#afterStep())
    } catch (error) {
      this.violate(this.#now('crash', describe(error)))
    } finally {
      process.off('unhandledRejection', onRejection)
    }
    const isWhole = this.#options.untilStep === undefined && this.#violations.length === 0
    if (isWhole && !this.#isConverged) this.violate(this.#now('convergence', this.#missing() ?? 'nothing is missing'))
    return this.#outcome()
  }

  violate(violation: Violation): void {
    this.#violations.push(violation)
    this.print(`VIOLATION ${violation.rule}: ${violation.text}`)
    this.scheduler.stop()
  }

  print(line: string): void {
    const { nowMs, steps } = this.scheduler
    this.#options.print?.(`${(nowMs / 1_000).toFixed(3).padStart(9)} s, step ${steps}: ${line}`)
  }

  startWorker(seat: Seat): void {
    if (seat.process !== null && !seat.process.domain.isDead) return
    seat.incarnation += 1
    const { scheduler, network } = this
    this.print(`${seat.host} starts`)
    seat.process = new WorkerProcess(
      {
        scheduler,
        network,
        host: seat.host,
        properties: this.#workerProperties(),
        plugins: sourcePlugins(this.#watch()),
        logger: (domain) => this.#logger(domain),
        onExit: (reason) => {
          this.print(`${seat.host} has ended: ${reason === null ? 'terminated' : describe(reason)}`)
          this.restartLater(seat, 3_000)
        },
      },
      seat.incarnation,
    )
  }

  restartLater(seat: Seat, afterMs: number): void {
    this.scheduler.after(afterMs, null, () => this.startWorker(seat))
  }

  #workerProperties(): Readonly<Record<string, string>> {
    const { plan, brokers } = this
    return {
      'bootstrap.servers': brokers.servers,
      'group.id': 'sim',
      'config.storage.topic': 'sim-configs',
      'offset.storage.topic': OFFSET_TOPIC,
      'status.storage.topic': STATUS_TOPIC,
      'offset.storage.partitions': '1',
      'status.storage.partitions': '1',
      'config.storage.replication.factor': '1',
      'offset.storage.replication.factor': '1',
      'status.storage.replication.factor': '1',
      'key.converter': 'Text',
      'value.converter': 'Text',
      'header.converter': 'TextHeaders',
      'connect.protocol': 'compatible',
      'session.timeout.ms': '10000',
      'heartbeat.interval.ms': '3000',
      'rebalance.timeout.ms': '20000',
      'scheduled.rebalance.max.delay.ms': String(plan.rebalanceDelayMs),
      'offset.flush.interval.ms': String(plan.offsetFlushMs),
      'offset.flush.timeout.ms': '5000',
      'task.shutdown.graceful.timeout.ms': '5000',
      'producer.compression.type': 'none',
      'exactly.once.source.support': plan.isExactlyOnce ? 'enabled' : 'disabled',
    }
  }

  connectorConfig(name: string, note: string): Readonly<Record<string, string>> {
    const { plan, connectors } = this
    return {
      name,
      'connector.class': SOURCE_CLASS,
      'tasks.max': String(plan.connectors[connectors.indexOf(name)] ?? 1),
      'transaction.boundary': plan.boundary,
      note,
    }
  }

  #watch(): SourceWatch {
    return {
      database: this.database,
      scheduler: this.scheduler,
      partitions: this.plan.partitions,
      onStart: ({ source, after, domain }) => this.#onRun(source, after, domain),
      onStop: (run) => this.#live.delete(run),
      onPurged: (run, source, after) => this.#onPurged(run, source, after),
    }
  }

  /** A run that has a successor may have asked before that one stored offsets; it delivers nothing any more. */
  #onPurged(run: number, source: string, after: number): void {
    if (this.#latestRuns.get(source) !== run) return
    this.violate(this.#now('purged', `${source}: a task needs the changes after ${after}, before its stored offset`))
  }

  #onRun(source: string, after: number, domain: Domain): number {
    const run = ++this.#runs
    this.#latestRuns.set(source, run)
    this.print(`${domain.name} begins run ${run} of ${source} after change ${after}`)
    for (const [other, live] of this.#live) {
      if (live.domain.isDead) this.#live.delete(other)
      else if (live.source === source && this.#holdsLease(live.domain)) {
        const text = `${source}: run ${run} in ${domain.name} begins while run ${other} in ${live.domain.name} has its lease`
        this.violate(this.#now('two leases', text))
      }
    }
    this.#live.set(run, { source, domain })
    return run
  }

  #holdsLease(domain: Domain): boolean {
    // Transactions do not need the lease.
    if ([...this.#faults.counts.keys()].some((kind) => LEASE_BREAKERS.has(kind))) return false
    const seat = this.seats.find((each) => each.process?.domain === domain.process)
    return seat?.process?.running?.lease.isHeld === true
  }

  #onAppend(topic: string, partition: number, batch: Buffer): void {
    // Statuses contain stack traces, which depend on what the engine has compiled by then.
    const crc = topic === STATUS_TOPIC ? 0 : batch.readInt32BE(17)
    this.#fingerprint = (Math.imul(this.#fingerprint, 31) + crc + this.scheduler.steps) | 0
    this.checker.onAppend(topic, partition, batch)
  }

  #afterStep(): boolean {
    this.checker.checkStep()
    const { untilStep } = this.#options
    return untilStep === undefined || this.scheduler.steps < untilStep
  }

  /** All faults have ended. */
  #quiet(): void {
    this.print('all faults have ended')
    this.#faults.end()
    for (const seat of this.seats) this.startWorker(seat)
    this.#operator.finish(this.#faults.counts.has('crash task'))
    this.#checkLater()
  }

  #checkLater(): void {
    this.scheduler.after(CHECK_MS, null, () => {
      const missing = this.#missing()
      if (missing === null) {
        this.#isConverged = true
        this.scheduler.stop()
      } else this.#checkLater()
    })
  }

  /** What is not as desired yet. */
  #missing(): string | null {
    for (const { host, process } of this.seats) {
      if (process === null || process.running === null || process.isStopping) return `${host} does not run`
    }
    if (!this.#operator.isDone) return 'a request of the operator is not answered'
    return this.#missingRuns() ?? this.#missingStates() ?? this.#missingChanges()
  }

  #missingRuns(): string | null {
    for (const source of this.sources) {
      const runs = [...this.#live.values()].filter((live) => live.source === source && !live.domain.isDead)
      if (runs.length !== 1) return `${source} has ${runs.length} tasks`
    }
    return null
  }

  #missingStates(): string | null {
    for (const { host, process } of this.seats) {
      const herder = process?.running?.herder
      for (const [i, name] of this.connectors.entries()) {
        try {
          const status = herder?.connectorStatus(name)
          const states = [status?.connector.state, ...(status?.tasks.map(({ state }) => state) ?? [])]
          const isRunning =
            states.every((state) => state === 'RUNNING') && states.length === 1 + (this.plan.connectors[i] ?? 0)
          if (!isRunning) return `${name} is ${states.join(', ')} on ${host}`
        } catch (error) {
          return `${host}: ${describe(error)}`
        }
      }
    }
    return null
  }

  #missingChanges(): string | null {
    for (const source of this.sources) {
      const { committed } = this.database.binlog(source)
      const delivered = this.checker.delivered(source)
      if (delivered !== committed) return `${source}: ${delivered} of ${committed} changes are delivered`
      const offset = this.checker.offset(source)
      if (offset !== committed) return `${source}: offset ${offset} is stored, with ${committed} changes`
    }
    return null
  }

  #now(rule: string, text: string): Violation {
    return { rule, text, atMs: this.scheduler.nowMs, step: this.scheduler.steps }
  }

  #logger(domain: Domain): Logger {
    const { print } = this.#options
    if (print === undefined) return QUIET
    return createLogger('debug', (line) => {
      const { level, msg, error } = JSON.parse(line) as Record<string, unknown>
      const cause =
        typeof error === 'object' && error !== null && 'message' in error ? ` (${String(error.message)})` : ''
      const where = this.scheduler.current?.name ?? domain.name
      this.print(`${where} ${String(level)}: ${String(msg)}${cause}`)
    })
  }

  #outcome(): Outcome {
    return {
      violations: this.#violations,
      simulatedMs: this.scheduler.nowMs,
      steps: this.scheduler.steps,
      faults: this.#faults.counts,
      changes: this.sources.reduce((sum, source) => sum + this.database.binlog(source).committed, 0),
      runs: this.#runs,
      fingerprint: this.#fingerprint >>> 0,
    }
  }
}

function describe(error: unknown): string {
  const { message, stack } = toError(error)
  return `${message} ${stack?.split('\n').slice(1, 4).join(' ') ?? ''}`
}

const QUIET: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => QUIET,
}
