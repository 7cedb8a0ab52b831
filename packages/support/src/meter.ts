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
  snapshot(): MeterSnapshot
}

/** Counts up. */
export interface Counter {
  add(count: number): void
}

/** Counts values by size. */
export interface Histogram {
  observe(value: number): void
}

/** The numbers of a meter at one time. Plain data: can be sent to another thread. */
export interface MeterSnapshot {
  readonly counters: Readonly<Record<string, number>>
  readonly gauges: Readonly<Record<string, number>>
  readonly histograms: Readonly<Record<string, HistogramSnapshot>>
}

export interface HistogramSnapshot {
  readonly bounds: readonly number[]
  /** Values in each bucket, not cumulated; the last one counts those above all bounds. */
  readonly counts: readonly number[]
  readonly sum: number
}

/** For callers that measure nothing: its instruments keep nothing, and its snapshot is empty. */
export const noMeter: Meter = {
  counter: () => NO_COUNTER,
  gauge: () => undefined,
  histogram: () => NO_HISTOGRAM,
  snapshot: () => ({ counters: {}, gauges: {}, histograms: {} }),
}

const NO_COUNTER: Counter = { add: () => undefined }
const NO_HISTOGRAM: Histogram = { observe: () => undefined }
