import { describeError, type Clock, type Logger, type MetricFamily } from '@tributary/support'

type Environment = Readonly<Record<string, string | undefined>>

export interface TelemetryOptions {
  readonly version: string
  /** `host:port` of the worker, which distinguishes its series from those of other workers. */
  readonly workerId: string
  readonly snapshot: () => Promise<readonly MetricFamily[]>
  readonly logger: Logger
  readonly clock: Clock
}

/**
 * Starts the export of metrics over OTLP if OpenTelemetry's variables ask for it, and loads its code only then. A
 * setting that cannot be used is a warning: often these variables are set for all programs of a cluster, and the worker
 * does its work without an export.
 */
export async function startTelemetry(
  environment: Environment,
  options: TelemetryOptions,
): Promise<AsyncDisposable | null> {
  if (!isAskedFor(environment)) return null
  try {
    const { otlpSettings } = await import('./otlp-settings.ts')
    const settings = otlpSettings(environment, options.workerId)
    if (settings === null) return null
    const { OtlpExporter } = await import('./otlp-exporter.ts')
    return new OtlpExporter({ ...options, settings })
  } catch (error) {
    options.logger.warn(`Metrics are not exported over OTLP: ${describeError(error)}`)
    return null
  }
}

/** Whether a variable has an endpoint, or names the exporter, whose default endpoint is on this machine. */
function isAskedFor({
  OTEL_EXPORTER_OTLP_ENDPOINT: all = '',
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: metrics = '',
  OTEL_METRICS_EXPORTER: exporters = '',
}: Environment): boolean {
  return `${all}${metrics}${exporters}`.trim() !== ''
}
