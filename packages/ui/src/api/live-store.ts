import type {
  ConnectorSample,
  LiveNotification,
  LiveStart,
  LiveUpdate,
  StateChange,
  WorkerSample,
} from '@tributary/rest-api'
import { openStream } from './stream.ts'

/** `denied`: a login is needed. `lost`: the last numbers are shown while the page connects again. */
export type Phase = 'connecting' | 'open' | 'lost' | 'denied' | 'full'

/** As many as the worker keeps: fifteen minutes. */
const SAMPLES_MAX = 450
const CHANGES_MAX = 100

export interface ConnectorSeries {
  readonly samples: ConnectorSample[]
  readonly changes: StateChange[]
  readonly notifications: LiveNotification[]
}

const NOTHING: ConnectorSeries = { samples: [], changes: [], notifications: [] }

/** What the worker reports while the page is open. Views read it after each change. */
export class LiveStore {
  phase: Phase = 'connecting'
  start: LiveStart | null = null
  update: LiveUpdate | null = null
  worker: WorkerSample[] = []
  readonly series: Map<string, ConnectorSeries> = new Map()
  readonly #listeners = new Set<() => void>()
  #close: (() => void) | null = null

  /** Connects, or connects again with another login. */
  connect(): void {
    this.#close?.()
    this.phase = 'connecting'
    const { close } = openStream('live', {
      onMessage: (message) => this.#onMessage(message as LiveStart | LiveUpdate),
      onLost: (status) => this.#onLost(status),
    })
    this.#close = close
    this.#changed()
  }

  listen(onChange: () => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  get isReadOnly(): boolean {
    return this.start?.access === 'read-only'
  }

  /** True until the worker has reported it, which is the default. */
  get mayReadEvents(): boolean {
    return this.start?.mayReadEvents ?? true
  }

  #onLost(status: number): void {
    this.phase = status === 401 ? 'denied' : status === 503 ? 'full' : 'lost'
    if (this.phase === 'denied') this.#close?.()
    this.#changed()
  }

  #onMessage(message: LiveStart | LiveUpdate): void {
    this.phase = 'open'
    if (message.tag === 'start') this.#restart(message)
    else this.#apply(message)
    this.#changed()
  }

  #restart(start: LiveStart): void {
    this.start = start
    this.update = start.update
    this.worker = [...start.worker]
    this.series.clear()
    for (const [name, { samples, changes, notifications }] of Object.entries(start.connectors)) {
      this.series.set(name, {
        samples: [...samples],
        changes: [...changes],
        notifications: [...notifications],
      })
    }
  }

  #apply(update: LiveUpdate): void {
    this.update = update
    this.worker = [...this.worker, update.worker].slice(-SAMPLES_MAX)
    const names = new Set(update.connectors.map(({ name }) => name))
    for (const name of this.series.keys()) if (!names.has(name)) this.series.delete(name)
    for (const { name, sample } of update.connectors) {
      const { samples, changes, notifications } = this.series.get(name) ?? NOTHING
      const own = update.changes.filter(({ connector }) => connector === name)
      const news = update.notifications.filter(({ connector }) => connector === name)
      this.series.set(name, {
        samples: [...samples, sample].slice(-SAMPLES_MAX),
        changes: [...changes, ...own].slice(-CHANGES_MAX),
        notifications: [...notifications, ...news].slice(-CHANGES_MAX),
      })
    }
  }

  #changed(): void {
    for (const onChange of this.#listeners) onChange()
  }
}
