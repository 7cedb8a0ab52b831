import type { MetricFamily } from '@tributary/support'
import { acceptedFormat } from './accepted-format.ts'
import type { MetricsRegistry } from './metrics-registry.ts'

/** A request for the metrics, as far as it matters. */
interface MetricsRequest {
  readonly headers: { readonly accept?: string | undefined }
}

interface MetricsAnswer {
  readonly status: 200
  readonly content: { readonly type: string; readonly bytes: Buffer }
}

/** Answers `GET /metrics`. Loads the writer of the formats with the first request. */
export function metricsHandler(registry: MetricsRegistry): (request: MetricsRequest) => Promise<MetricsAnswer> {
  const shared = new SharedSnapshot(registry)
  return async ({ headers }) => {
    const [{ expose }, families] = await Promise.all([import('./exposition.ts'), shared.take()])
    const { contentType, text } = await expose(families, acceptedFormat(headers.accept))
    return { status: 200, content: { type: contentType, bytes: Buffer.from(text) } }
  }
}

/** Requests that arrive while a snapshot is being taken share it: many readers cost the tasks no more than one. */
class SharedSnapshot {
  readonly #registry: MetricsRegistry
  #current: Promise<readonly MetricFamily[]> | null = null

  constructor(registry: MetricsRegistry) {
    this.#registry = registry
  }

  take(): Promise<readonly MetricFamily[]> {
    this.#current ??= this.#registry.snapshot().finally(() => {
      this.#current = null
    })
    return this.#current
  }
}
