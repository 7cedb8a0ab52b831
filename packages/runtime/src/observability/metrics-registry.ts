import { mergeFamilies, type MetricFamily } from '@tributary/support'

/** A part of the worker that has metrics. */
export interface MetricsSource {
  /** Returns within `METRICS_WAIT_MS`, whatever the part does. */
  families(): readonly MetricFamily[] | Promise<readonly MetricFamily[]>
}

/**
 * How long a reader of metrics waits for the threads of tasks. A healthy thread answers within some milliseconds; one
 * that is blocked is shown with its last numbers.
 */
export const METRICS_WAIT_MS = 250

/**
 * All metrics of a worker, for those in its process: `/metrics` and the web page.
 *
 *     const families = await registry.snapshot()
 *     const lag = families.find(({ definition }) => definition.name === 'tributary_lag_seconds')
 *     lag?.samples   // [{ labels: { connector: 'shop', task: '0' }, value: 0.3 }]
 *
 * A snapshot is plain data, at most `METRICS_WAIT_MS` late, and may be taken every second by several readers. Metrics
 * without a value are left out: those of a task appear when it has started and disappear when it is stopped.
 */
export class MetricsRegistry {
  readonly #sources: MetricsSource[] = []

  add(source: MetricsSource): void {
    this.#sources.push(source)
  }

  /** One family per metric, in the order of the sources. */
  async snapshot(): Promise<readonly MetricFamily[]> {
    const families = await Promise.all(this.#sources.map(async (source) => source.families()))
    return mergeFamilies(families.flat())
  }
}
