import type { HistogramSnapshot, MetricFamily } from './metric-family.ts'
import { WindowStat } from './window-stat.ts'

/**
 * Counts and measures what a component does. Passed to components like `Logger` and `Clock`; a component creates its
 * instruments once and keeps them:
 *
 *     const sent = meter.counter('records.sent')
 *     meter.gauge('queue.bytes', () => producer.bufferedBytes)
 *     sent.add(records.length)
 *
 * Costs: a counter adds to one number; a gauge is a function that only a snapshot calls; a histogram searches the
 * bucket of the value. Code on the hot path uses its instruments once per batch. `noMeter` keeps nothing.
 */
export interface Meter {
  /** Returns the counter of that name, the same one for every caller. */
  counter(name: string): Counter
  /** Registers a number that each snapshot reads. A second gauge of that name replaces the first. */
  gauge(name: string, read: () => number): void
  /** `bounds`: the upper limits of the buckets, ascending, inclusive; greater values are counted in one more. */
  histogram(name: string, bounds: readonly number[]): Histogram
  /** Returns the average, maximum and rate of that name, the same one for every caller. No part of a snapshot. */
  window(name: string): WindowStat
  /** Registers metrics that each snapshot reads, by their definitions. */
  families(read: () => readonly MetricFamily[]): void
  snapshot(): MeterSnapshot
}

/** Counts up. */
export interface Counter {
  readonly value: number
  add(count: number): void
}

/** Counts values by size. */
export interface Histogram {
  /** `count`: how many values of that size; default 1. */
  observe(value: number, count?: number): void
  snapshot(): HistogramSnapshot
}

/** The numbers of a meter at one time. Plain data: can be sent to another thread. */
export interface MeterSnapshot {
  readonly counters: Readonly<Record<string, number>>
  readonly gauges: Readonly<Record<string, number>>
  readonly histograms: Readonly<Record<string, HistogramSnapshot>>
  readonly families: readonly MetricFamily[]
}

/** For callers that measure nothing: its instruments keep nothing, and its snapshot is empty. */
export const noMeter: Meter = {
  counter: () => NO_COUNTER,
  gauge: () => undefined,
  histogram: () => NO_HISTOGRAM,
  window: () => new WindowStat(),
  families: () => undefined,
  snapshot: () => ({ counters: {}, gauges: {}, histograms: {}, families: [] }),
}

const NO_COUNTER: Counter = { value: 0, add: () => undefined }
const NO_HISTOGRAM: Histogram = { observe: () => undefined, snapshot: () => ({ bounds: [], counts: [], sum: 0 }) }
