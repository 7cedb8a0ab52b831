/**
 * Average, maximum and rate of recent values, as Kafka's clients and Kafka Connect compute them (`SampledStat` with
 * `metrics.num.samples=2` and `metrics.sample.window.ms=30000`): over the current window of 30 s and the one before it.
 *
 * Record once per batch: the cost is a comparison and three additions.
 */
export class WindowStat {
  #current: Sample = emptySample(0)
  #previous: Sample | null = null
  #total = 0
  #hasBegun = false

  /** The sum of all values ever recorded. */
  get total(): number {
    return this.#total
  }

  /** Whether a value was ever recorded. */
  get isUsed(): boolean {
    return this.#hasBegun
  }

  record(value: number, nowMs: number): void {
    this.#roll(nowMs)
    const sample = this.#current
    sample.count += 1
    sample.sum += value
    if (value > sample.max) sample.max = value
    if (value < sample.min) sample.min = value
    this.#total += value
  }

  /** NaN without values, as in the JMX beans. */
  average(nowMs: number): number {
    this.#roll(nowMs)
    const { count, sum } = this.#sums
    return count === 0 ? Number.NaN : sum / count
  }

  /** NaN without values, as in the JMX beans. */
  max(nowMs: number): number {
    this.#roll(nowMs)
    const { count, max } = this.#sums
    return count === 0 ? Number.NaN : max
  }

  /** NaN without values, as in the JMX beans. */
  min(nowMs: number): number {
    this.#roll(nowMs)
    const { count, min } = this.#sums
    return count === 0 ? Number.NaN : min
  }

  /** The sum of the values per second. */
  rate(nowMs: number): number {
    this.#roll(nowMs)
    return this.#sums.sum / (this.#elapsedMs(nowMs) / 1_000)
  }

  get #sums(): Sample {
    const previous = this.#previous
    const current = this.#current
    if (previous === null) return current
    return {
      startMs: previous.startMs,
      count: previous.count + current.count,
      sum: previous.sum + current.sum,
      max: Math.max(previous.max, current.max),
      min: Math.min(previous.min, current.min),
    }
  }

  /** At least one whole window, so that the first value is no peak. */
  #elapsedMs(nowMs: number): number {
    const elapsedMs = Math.max(0, nowMs - this.#sums.startMs)
    return elapsedMs < WINDOW_MS ? elapsedMs + WINDOW_MS : elapsedMs
  }

  #roll(nowMs: number): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      this.#current = emptySample(nowMs)
      return
    }
    const ageMs = nowMs - this.#current.startMs
    if (ageMs < WINDOW_MS) return
    this.#previous = ageMs < 2 * WINDOW_MS ? this.#current : null
    this.#current = emptySample(nowMs)
  }
}

interface Sample {
  startMs: number
  count: number
  sum: number
  max: number
  min: number
}

function emptySample(startMs: number): Sample {
  return { startMs, count: 0, sum: 0, max: Number.NEGATIVE_INFINITY, min: Number.POSITIVE_INFINITY }
}

const WINDOW_MS = 30_000
