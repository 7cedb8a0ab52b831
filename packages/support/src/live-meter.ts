import { assert } from './assert.ts'
import type { Counter, Histogram, Meter, MeterSnapshot } from './meter.ts'
import type { HistogramSnapshot, MetricFamily } from './metric-family.ts'
import { WindowStat } from './window-stat.ts'

/** A meter that keeps its numbers in memory. */
export class LiveMeter implements Meter {
  readonly #counters = new Map<string, LiveCounter>()
  readonly #gauges = new Map<string, () => number>()
  readonly #histograms = new Map<string, LiveHistogram>()
  readonly #windows = new Map<string, WindowStat>()
  readonly #families: (() => readonly MetricFamily[])[] = []

  counter(name: string): Counter {
    const known = this.#counters.get(name)
    if (known !== undefined) return known
    const counter = new LiveCounter()
    this.#counters.set(name, counter)
    return counter
  }

  gauge(name: string, read: () => number): void {
    this.#gauges.set(name, read)
  }

  /** The number of a gauge now; null without a gauge of that name. */
  gaugeValue(name: string): number | null {
    return this.#gauges.get(name)?.() ?? null
  }

  histogram(name: string, bounds: readonly number[]): Histogram {
    const known = this.#histograms.get(name)
    if (known !== undefined) return known
    const histogram = new LiveHistogram(bounds)
    this.#histograms.set(name, histogram)
    return histogram
  }

  window(name: string): WindowStat {
    const known = this.#windows.get(name)
    if (known !== undefined) return known
    const window = new WindowStat()
    this.#windows.set(name, window)
    return window
  }

  families(read: () => readonly MetricFamily[]): void {
    this.#families.push(read)
  }

  snapshot(): MeterSnapshot {
    return {
      counters: record(this.#counters, ({ value }) => value),
      gauges: record(this.#gauges, (read) => read()),
      histograms: record(this.#histograms, (histogram) => histogram.snapshot()),
      families: this.#families.flatMap((read) => read()),
    }
  }
}

function record<T, R>(instruments: ReadonlyMap<string, T>, valueOf: (instrument: T) => R): Readonly<Record<string, R>> {
  return Object.fromEntries(Array.from(instruments, ([name, instrument]) => [name, valueOf(instrument)]))
}

class LiveCounter implements Counter {
  value = 0

  add(count: number): void {
    this.value += count
  }
}

class LiveHistogram implements Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  constructor(bounds: readonly number[]) {
    const isAscending = bounds.every((bound, i) => i === 0 || bound > (bounds[i - 1] as number))
    assert(isAscending, 'the bounds of a histogram ascend')
    this.#bounds = bounds
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number, count = 1): void {
    let bucket = 0
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] as number) + count
    this.#sum += value * count
  }

  snapshot(): HistogramSnapshot {
    return { bounds: [...this.#bounds], counts: [...this.#counts], sum: this.#sum }
  }
}
