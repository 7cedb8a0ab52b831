import type { ConnectorSample, ConnectorStateInfo, LiveNotification, StateChange } from '@tributary/rest-api'
import type { HistogramSnapshot, MeterSnapshot } from '@tributary/support'
import { latencyOf, operationTotals, quantileSince, type OperationTotals } from '../task-families.ts'

const CHANGES_MAX = 100
/** A task reports its numbers every two seconds. Without a new report for that long, there are none. */
const REPORT_AGE_MAX_MS = 7_000

/** Sums of the numbers that the tasks of a connector have reported. */
interface Totals extends OperationTotals {
  readonly ms: number
  readonly read: number
  readonly written: number
  readonly bytes: number
  readonly latency: HistogramSnapshot | null
}

type RateName = 'read' | 'written' | 'bytes' | keyof OperationTotals

/** Of the records between two reports. */
interface Latency {
  readonly medianMs: number | null
  readonly high99Ms: number | null
}

/** What the feed remembers of a connector. */
export class ConnectorHistory {
  readonly samples: ConnectorSample[] = []
  readonly changes: StateChange[] = []
  readonly notifications: LiveNotification[] = []
  counters: Readonly<Record<string, number>> = {}
  lastLagMs: number | null = null
  lastRecordMs: number | null = null
  /** By task; null is the connector. */
  readonly #states = new Map<number | null, string>()
  #reports: readonly MeterSnapshot[] = []
  #totals: Totals | null = null
  #rates: Pick<Totals, RateName> | null = null
  #latency: Latency = NO_LATENCY

  /** Notes the states that have changed since the last call, and returns the changes. */
  observe(status: ConnectorStateInfo, ms: number): readonly StateChange[] {
    const states = new Map<number | null, string>([[null, status.connector.state]])
    for (const { id, state } of status.tasks) states.set(id, state)
    for (const id of this.#states.keys()) if (!states.has(id)) states.set(id, 'REMOVED')
    const changes: StateChange[] = []
    for (const [task, to] of states) {
      const from = this.#states.get(task) ?? null
      if (from !== to) changes.push({ ms, task, from, to })
      if (to === 'REMOVED') this.#states.delete(task)
      else this.#states.set(task, to)
    }
    this.changes.push(...changes)
    this.changes.splice(0, Math.max(0, this.changes.length - CHANGES_MAX))
    return changes
  }

  note(notification: LiveNotification): void {
    this.notifications.push(notification)
    this.notifications.splice(0, Math.max(0, this.notifications.length - CHANGES_MAX))
  }

  /** Adds a sample of the numbers that the tasks have reported last. Keeps that many samples. */
  sample(reports: readonly MeterSnapshot[], ms: number, samplesMax: number): ConnectorSample {
    this.#measure(reports, ms)
    const gauge = (name: string): number | null =>
      reports.length === 0 ? null : reports.reduce((sum, { gauges }) => sum + (gauges[name] ?? 0), 0)
    const rate = (name: RateName): number | null => this.#rates?.[name] ?? null
    const lagMs = (rate('read') ?? 0) > 0 ? this.lastLagMs : null
    const { medianMs, high99Ms } = this.#latency
    const sample: ConnectorSample = [
      ms,
      rate('read'),
      rate('written'),
      rate('bytes'),
      lagMs,
      gauge('queue.bytes'),
      gauge('records.inFlight'),
      rate('rows'),
      rate('creates'),
      rate('updates'),
      rate('deletes'),
      medianMs,
      high99Ms,
    ]
    this.samples.push(sample)
    this.samples.splice(0, Math.max(0, this.samples.length - samplesMax))
    return sample
  }

  /** Rates between two reports. They apply until the next report, which arrives between two samples or with one. */
  #measure(reports: readonly MeterSnapshot[], ms: number): void {
    const isNew = reports.some((report, i) => report !== this.#reports[i])
    const last = this.#totals
    if (reports.length === 0 || (!isNew && ms - (last?.ms ?? 0) > REPORT_AGE_MAX_MS)) {
      this.#totals = null
      this.#rates = null
      this.#latency = NO_LATENCY
      this.#reports = []
      return
    }
    if (!isNew) return
    this.#reports = reports
    this.counters = summed(reports)
    const { counters } = this
    const totals: Totals = {
      ms,
      ...operationTotals(reports),
      latency: latencyOf(reports),
      read: counters['records.polled'] ?? 0,
      written: counters['records.sent'] ?? 0,
      bytes: counters['bytes.sent'] ?? 0,
    }
    this.#totals = totals
    // A task that was started again counts from zero.
    const isContinued = last !== null && totals.read >= last.read && totals.written >= last.written
    const seconds = isContinued ? (ms - last.ms) / 1_000 : 0
    const rate = (name: RateName): number => Math.max(0, totals[name] - (last?.[name] ?? 0)) / seconds
    this.#rates =
      seconds <= 0
        ? null
        : {
            read: rate('read'),
            written: rate('written'),
            bytes: rate('bytes'),
            rows: rate('rows'),
            creates: rate('creates'),
            updates: rate('updates'),
            deletes: rate('deletes'),
          }
    this.#latency = isContinued ? latencyBetween(last.latency, totals.latency) : NO_LATENCY
    const lags = reports.flatMap(({ gauges }) => (gauges['lag.ms'] === undefined ? [] : [gauges['lag.ms']]))
    if (lags.length > 0) this.lastLagMs = Math.max(...lags)
    if (isContinued && totals.read > last.read) this.lastRecordMs = ms
  }
}

const NO_LATENCY: Latency = { medianMs: null, high99Ms: null }

function latencyBetween(last: HistogramSnapshot | null, now: HistogramSnapshot | null): Latency {
  if (now === null) return NO_LATENCY
  const milliseconds = (share: number): number | null => {
    const seconds = quantileSince(last, now, share)
    return seconds === null ? null : Math.round(seconds * 100_000) / 100
  }
  return { medianMs: milliseconds(0.5), high99Ms: milliseconds(0.99) }
}

function summed(reports: readonly MeterSnapshot[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const { counters } of reports) {
    for (const [name, value] of Object.entries(counters)) sums[name] = (sums[name] ?? 0) + value
  }
  return sums
}
