import {
  JsonMetricsSerializer,
  ProtobufMetricsSerializer,
  type IExportMetricsServiceResponse,
  type ISerializer,
} from '@opentelemetry/otlp-transformer'
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'
import {
  describeError,
  doneOr,
  withTimeout,
  type Clock,
  type Logger,
  type MetricFamily,
  type Timer,
} from '@tributary/support'
import { cliErrors } from '../errors.ts'
import { OtlpConnection } from './otlp-connection.ts'
import { otlpMetrics } from './otlp-metrics.ts'
import type { OtlpSettings } from './otlp-settings.ts'

export interface OtlpExporterOptions {
  readonly settings: OtlpSettings
  readonly version: string
  readonly snapshot: () => Promise<readonly MetricFamily[]>
  readonly logger: Logger
  readonly clock: Clock
}

/** The limit of the last export. It runs while the worker stops, which takes about as long. */
const LAST_EXPORT_MS = 2_000
/** The shortest time between two warnings, so that a receiver with changing errors does not fill the log. */
const WARNING_PAUSE_MS = 300_000

const ENCODINGS: Readonly<Record<OtlpSettings['format'], ISerializer<ResourceMetrics, IExportMetricsServiceResponse>>> =
  { json: JsonMetricsSerializer, protobuf: ProtobufMetricsSerializer }

/**
 * Sends all metrics of the worker to a receiver of OTLP over HTTP, at an interval and at the end. Nothing waits for it:
 * an export that fails is dropped, because the next one has the same counters.
 */
export class OtlpExporter implements AsyncDisposable {
  readonly #options: OtlpExporterOptions
  readonly #connection: OtlpConnection
  readonly #startMs: number
  #timer: Timer | null = null
  #running: Promise<void> | null = null
  /** The failure of the last export; empty when it succeeded. */
  #failure = ''
  /** The last logged failure; empty when the log has reported the recovery. */
  #reported = ''
  #warnedMs = -Infinity
  #isClosed = false

  constructor(options: OtlpExporterOptions) {
    const { settings, clock, logger } = options
    this.#options = options
    this.#connection = new OtlpConnection(settings)
    this.#startMs = clock.now()
    const { address } = this.#connection
    logger.info(`Metrics are exported over OTLP to ${address} every ${settings.intervalMs / 1_000} s`)
    this.#schedule()
  }

  #schedule(): void {
    const { clock, settings } = this.#options
    this.#timer = clock.after(settings.intervalMs, () => {
      this.#running = this.#exportAndReport(settings.timeoutMs).then(() => {
        this.#running = null
        if (!this.#isClosed) this.#schedule()
      })
    })
  }

  /** Never rejects. */
  async #exportAndReport(timeoutMs: number): Promise<void> {
    const failure = await withTimeout(this.#options.clock, timeoutMs, (signal) => this.#export(signal)).then(
      () => '',
      (error: unknown) => describeError(error),
    )
    this.#report(failure)
    this.#failure = failure
  }

  /** Logs a failure once and its recovery once, so that a receiver that is down for a day causes two lines. */
  #report(failure: string): void {
    const { logger, settings, clock } = this.#options
    if (failure === this.#reported) return
    if (failure === '') {
      logger.info('The metrics are exported again')
    } else {
      const nowMs = clock.monotonicMs()
      if (nowMs - this.#warnedMs < WARNING_PAUSE_MS) return
      this.#warnedMs = nowMs
      logger.warn(`The metrics were not exported: ${failure} Tried again every ${settings.intervalMs / 1_000} s`)
    }
    this.#reported = failure
  }

  async #export(signal: AbortSignal): Promise<void> {
    const { settings, version, snapshot, clock } = this.#options
    const { attributes, format } = settings
    const families = await snapshot()
    const metrics = otlpMetrics(families, { attributes, version, startMs: this.#startMs, nowMs: clock.now() })
    const reply = await this.#connection.send(ENCODINGS[format].serializeRequest(metrics) ?? new Uint8Array(), signal)
    if (reply.length > 0) this.#refuseLoss(ENCODINGS[format].deserializeResponse(reply))
  }

  /** Throws if the receiver has refused a part of the values, which it reports with status 200. */
  #refuseLoss({ partialSuccess }: IExportMetricsServiceResponse): void {
    // A 64-bit number is a text in JSON.
    const rejected = Number(partialSuccess?.rejectedDataPoints ?? 0)
    if (rejected === 0) return
    const text = this.#connection.withoutSecrets(partialSuccess?.errorMessage ?? '')
    const reason = `it refused ${rejected} values${text === '' ? '' : `: ${text}`}`
    throw cliErrors.OTLP_REFUSED({ url: this.#connection.address, reason })
  }

  /**
   * Exports the last numbers, or waits for the export in progress, for at most `LAST_EXPORT_MS`. Waits for nothing if
   * the last export failed. A connection that is still open then ends with the process.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#timer?.cancel()
    if (this.#failure !== '') return
    const last = this.#running ?? this.#exportAndReport(LAST_EXPORT_MS)
    await withTimeout(this.#options.clock, LAST_EXPORT_MS, (signal) => doneOr(last, signal)).catch(() => undefined)
  }
}
