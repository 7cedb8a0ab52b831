import { validateHeaderName, validateHeaderValue } from 'node:http'
import { otlpCertificates, type OtlpCertificates } from './otlp-certificates.ts'
import { refused, type Setting } from './otlp-setting.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where and how metrics are exported: OpenTelemetry's standard variables of an environment. */
export interface OtlpSettings {
  readonly url: URL
  readonly format: 'protobuf' | 'json'
  /** The values may be secret. */
  readonly headers: Readonly<Record<string, string>>
  readonly isCompressed: boolean
  /** The time limit of one export. */
  readonly timeoutMs: number
  readonly intervalMs: number
  /** Attributes of the resource, with `service.name`. */
  readonly attributes: Readonly<Record<string, string>>
  readonly tls: OtlpCertificates
}

/**
 * Reads the settings of the export; null when the export is switched off. A variable for metrics
 * (`OTEL_EXPORTER_OTLP_METRICS_…`) has precedence over the one for all signals.
 *
 * @throws OTLP_SETTING
 */
export function otlpSettings(environment: Environment, workerId: string): OtlpSettings | null {
  const plain = (variable: string): Setting => ({ variable, value: environment[variable]?.trim() ?? '' })
  const read = (name: string): Setting => {
    const own = plain(`OTEL_EXPORTER_OTLP_METRICS_${name}`)
    return own.value === '' ? plain(`OTEL_EXPORTER_OTLP_${name}`) : own
  }
  if (isSwitchedOff(plain('OTEL_SDK_DISABLED'), plain('OTEL_METRICS_EXPORTER'))) return null
  refuseOthers(plain('OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE'), ['cumulative'])
  refuseOthers(plain('OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION'), ['explicit_bucket_histogram'])
  const protocol = oneOf(read('PROTOCOL'), ['http/protobuf', 'http/json'])
  const exportLimitMs = milliseconds(plain('OTEL_METRIC_EXPORT_TIMEOUT'), 30_000)
  return {
    url: urlOf(read('ENDPOINT')),
    format: protocol === 'http/json' ? 'json' : 'protobuf',
    headers: headersOf(read('HEADERS')),
    isCompressed: oneOf(read('COMPRESSION'), ['none', 'gzip']) === 'gzip',
    timeoutMs: Math.min(milliseconds(read('TIMEOUT'), 10_000), exportLimitMs),
    intervalMs: milliseconds(plain('OTEL_METRIC_EXPORT_INTERVAL'), 60_000),
    attributes: {
      'service.name': 'tributary',
      'service.instance.id': workerId,
      ...pairs(plain('OTEL_RESOURCE_ATTRIBUTES')),
      ...named(plain('OTEL_SERVICE_NAME')),
    },
    tls: otlpCertificates({
      trusted: read('CERTIFICATE'),
      chain: read('CLIENT_CERTIFICATE'),
      key: read('CLIENT_KEY'),
    }),
  }
}

/** Every worker serves the format of Prometheus at `/metrics`, so that exporter needs no setting. */
function isSwitchedOff(disabled: Setting, exporters: Setting): boolean {
  if (disabled.value.toLowerCase() === 'true') return true
  const names = exporters.value.split(',').map((name) => name.trim())
  for (const value of names) refuseOthers({ ...exporters, value }, ['otlp', 'prometheus', 'none'])
  return exporters.value !== '' && !names.includes('otlp')
}

function refuseOthers(setting: Setting, allowed: readonly string[]): void {
  if (setting.value === '' || allowed.includes(setting.value.toLowerCase())) return
  throw refused(setting, `it is ${setting.value}, and Tributary has: ${allowed.join(', ')}`)
}

function oneOf(setting: Setting, allowed: readonly string[]): string {
  refuseOthers(setting, allowed)
  return setting.value.toLowerCase()
}

const DEFAULT_ENDPOINT = 'http://localhost:4318'

/**
 * The endpoint of all signals is a base address; that of metrics is used as it is. The address is not part of a
 * message, because it may contain a secret.
 */
function urlOf(setting: Setting): URL {
  const url = URL.parse(setting.value === '' ? DEFAULT_ENDPOINT : setting.value)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw refused(setting, 'it is not an address that begins with http:// or https://')
  }
  if (url.username !== '' || url.password !== '') {
    throw refused(setting, 'it contains a login, which belongs in OTEL_EXPORTER_OTLP_HEADERS')
  }
  const isBase = setting.variable === 'OTEL_EXPORTER_OTLP_ENDPOINT'
  if (isBase) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/metrics`
  return url
}

function headersOf(setting: Setting): Record<string, string> {
  const headers = pairs(setting)
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      throw refused(setting, 'it has a name or a value with characters that headers cannot have')
    }
  }
  return headers
}

/** `name=value,…`, percent-encoded. The text may be secret, also what precedes a `=` in a wrong place. */
function pairs(setting: Setting): Record<string, string> {
  const entries = setting.value.split(',').filter((part) => part.trim() !== '')
  return Object.fromEntries(entries.map((part) => pairOf(part, setting)))
}

function pairOf(part: string, setting: Setting): readonly [name: string, value: string] {
  const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(part) ?? []
  if (name === '') throw refused(setting, 'it is not a list of name=value, separated by commas')
  try {
    return [decodeURIComponent(name), decodeURIComponent(value.trim())]
  } catch {
    throw refused(setting, 'it is not percent-encoded correctly')
  }
}

function milliseconds(setting: Setting, defaultMs: number): number {
  if (setting.value === '') return defaultMs
  const ms = Number(setting.value)
  if (/^\d+$/.test(setting.value) && ms > 0 && ms < 2 ** 31) return ms
  throw refused(setting, `${setting.value} is not a number of milliseconds above 0`)
}

function named({ value }: Setting): Record<string, string> {
  return value === '' ? {} : { 'service.name': value }
}
