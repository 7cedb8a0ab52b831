import { monitorEventLoopDelay } from 'node:perf_hooks'
import { liveIntervalMs } from '@tributary/rest-api'
import type {
  ConnectorStateInfo,
  LiveConnector,
  LiveStart,
  LiveUpdate,
  StateChange,
  TimeToLoss,
  WorkerSample,
  WorkerStatus,
} from '@tributary/rest-api'
import type { Clock, MeterSnapshot, Timer } from '@tributary/support'
import type { Herder } from '../../herder/herder.ts'
import type { TaskNotification } from '@tributary/connect-api'
import type { Notifications } from '../../worker/notifications.ts'
import { ConnectorHistory } from './connector-history.ts'
import { MessageFeed } from './message-feed.ts'

export interface LiveFeedOptions {
  readonly version: string
  readonly health: () => WorkerStatus
  readonly clock: Clock
}

/** What the feed observes, once the worker has started. */
export interface LiveSubject {
  readonly herder: Pick<Herder, 'connectorNames' | 'connectorStatus' | 'connectorConfig'> & {
    /** The last numbers of a task; null without any. */
    readonly taskMetrics: (connector: string, task: number) => MeterSnapshot | null
    readonly notifications: Pick<Notifications, 'listen'>
  }
  readonly lossWatch: {
    /** Null: not measured yet. */
    readonly read: (connector: string) => TimeToLoss | null
  }
}

/** Of a text of a notification. */
const TEXT_MAX = 1_000
/** Two seconds of them: a snapshot of many small tables completes hundreds. */
const UNSENT_MAX = 1_000
/** Fifteen minutes. */
const SAMPLES_MAX = 450
/** Of all connectors together: 5 MB. */
const ALL_SAMPLES_MAX = 40_000

/**
 * Observes the worker and its connectors every two seconds, keeps what it saw for some minutes, and sends it to the
 * pages that are open. It reads what others hold anyway: the cost does not depend on the number of records.
 */
export class LiveFeed implements AsyncDisposable {
  readonly #options: LiveFeedOptions
  readonly #feed = new MessageFeed()
  readonly #histories = new Map<string, ConnectorHistory>()
  readonly #worker: WorkerSample[] = []
  readonly #startedMs: number
  readonly #delay: ReturnType<typeof monitorEventLoopDelay>
  #subject: LiveSubject | null = null
  #cpu = process.cpuUsage()
  #cpuMs: number
  #last: LiveUpdate | null = null
  #timer: Timer | null = null
  #unlisten: (() => void) | null = null
  /** Not sent yet. */
  #notifications: LiveUpdate['notifications'][number][] = []

  constructor(options: LiveFeedOptions) {
    this.#options = options
    this.#startedMs = options.clock.now()
    this.#cpuMs = options.clock.monotonicMs()
    // Of the main thread, which answers the page.
    this.#delay = monitorEventLoopDelay({ resolution: 50 })
    this.#delay.enable()
    this.#schedule()
  }

  /** Begins with the connectors. */
  observe(subject: LiveSubject): void {
    this.#subject = subject
    this.#unlisten = subject.herder.notifications.listen((connector, each) => this.#note(connector, each))
    this.#tick()
  }

  /** The first message of a stream: a `LiveStart` as JSON. */
  start({ access, mayReadEvents }: Pick<LiveStart, 'access' | 'mayReadEvents'>): string {
    const connectors = [...this.#histories].map(
      ([name, { samples, changes, notifications }]) => [name, { samples, changes, notifications }] as const,
    )
    const start: LiveStart = {
      tag: 'start',
      version: this.#options.version,
      startedMs: this.#startedMs,
      access,
      mayReadEvents,
      worker: this.#worker,
      connectors: Object.fromEntries(connectors),
      update: this.#last ?? this.#tick(),
    }
    return JSON.stringify(start)
  }

  listen(onMessage: (json: string) => void): () => void {
    return this.#feed.listen(onMessage)
  }

  #schedule(): void {
    this.#timer = this.#options.clock.after(liveIntervalMs, () => {
      this.#tick()
      this.#schedule()
    })
  }

  #tick(): LiveUpdate {
    const ms = this.#options.clock.now()
    const worker = this.#sampleWorker(ms)
    this.#worker.push(worker)
    this.#worker.splice(0, Math.max(0, this.#worker.length - SAMPLES_MAX))
    const changes: LiveUpdate['changes'][number][] = []
    const connectors = this.#names().map((name) => this.#observeConnector(name, ms, changes))
    const notifications = this.#notifications
    this.#notifications = []
    const health = this.#options.health()
    const update: LiveUpdate = { tag: 'update', health, worker, connectors, changes, notifications }
    this.#last = { ...update, changes: [], notifications: [] }
    if (this.#feed.hasListeners) this.#feed.send(JSON.stringify(update))
    return this.#last
  }

  #note(connector: string, { aggregateType: subject, type, data: parts, timestampMs: ms }: TaskNotification): void {
    // Lists of tables can be long, and nobody reads them here.
    const data = Object.fromEntries(Object.entries(parts).map(([key, text]) => [key, text.slice(0, TEXT_MAX)]))
    const notification = { ms, subject, type, data }
    const history = this.#histories.get(connector) ?? new ConnectorHistory()
    this.#histories.set(connector, history)
    history.note(notification)
    this.#notifications.push({ connector, ...notification })
    this.#notifications.splice(0, Math.max(0, this.#notifications.length - UNSENT_MAX))
  }

  #names(): readonly string[] {
    const names = this.#subject?.herder.connectorNames() ?? []
    const known = new Set(names)
    for (const name of this.#histories.keys()) if (!known.has(name)) this.#histories.delete(name)
    return names
  }

  #observeConnector(name: string, ms: number, changes: (StateChange & { connector: string })[]): LiveConnector {
    const history = this.#histories.get(name) ?? new ConnectorHistory()
    this.#histories.set(name, history)
    const status = this.#statusOf(name)
    for (const change of history.observe(status, ms)) changes.push({ ...change, connector: name })
    const reports = this.#reportsOf(status)
    const samplesMax = Math.min(SAMPLES_MAX, Math.floor(ALL_SAMPLES_MAX / this.#histories.size))
    const sample = history.sample(reports, ms, samplesMax)
    const { counters, lastLagMs, lastRecordMs } = history
    return {
      name,
      className: this.#classOf(name),
      state: status.connector.state,
      trace: status.connector.trace ?? null,
      tasks: status.tasks.map(({ id, state, trace = null }) => ({ id, state, trace })),
      counters,
      lastLagMs,
      lastRecordMs,
      timeToLoss: this.#lossOf(name),
      sample,
    }
  }

  #reportsOf({ name, tasks }: ConnectorStateInfo): readonly MeterSnapshot[] {
    return tasks.flatMap(({ id }) => this.#subject?.herder.taskMetrics(name, id) ?? [])
  }

  #lossOf(name: string): LiveConnector['timeToLoss'] {
    const loss = this.#subject?.lossWatch.read(name) ?? null
    if (loss === null) return null
    const { status, seconds, running_out } = loss
    return { status, seconds, running_out }
  }

  /** A connector has no status between its creation and its start. */
  #statusOf(name: string): ConnectorStateInfo {
    try {
      const status = this.#subject?.herder.connectorStatus(name)
      if (status !== undefined) return status
    } catch {
      // Also of one that has just been deleted.
    }
    return { name, connector: { state: 'UNASSIGNED', worker_id: '', version: null }, tasks: [], type: 'unknown' }
  }

  #classOf(name: string): string {
    try {
      return this.#subject?.herder.connectorConfig(name)['connector.class'] ?? ''
    } catch {
      return ''
    }
  }

  #sampleWorker(ms: number): WorkerSample {
    const monotonicMs = this.#options.clock.monotonicMs()
    const { user, system } = process.cpuUsage(this.#cpu)
    const elapsedMs = monotonicMs - this.#cpuMs
    const delayMs = this.#delay.count === 0 ? 0 : Math.max(0, this.#delay.max / 1e6 - 50)
    this.#delay.reset()
    this.#cpu = process.cpuUsage()
    this.#cpuMs = monotonicMs
    const cpu = elapsedMs <= 0 ? 0 : (user + system) / 1_000 / elapsedMs
    return [ms, process.memoryUsage.rss(), Math.round(cpu * 1_000) / 1_000, Math.round(delayMs * 10) / 10]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer?.cancel()
    this.#unlisten?.()
    this.#delay.disable()
    await Promise.resolve()
  }
}
