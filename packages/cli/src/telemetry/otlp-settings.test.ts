import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '@tributary/testkit'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { otlpSettings, type OtlpSettings } from './otlp-settings.ts'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

type Variables = Readonly<Record<string, string>>

function read(environment: Variables): OtlpSettings | null {
  return otlpSettings(environment, 'worker:8083')
}

// The rules of the specification: OpenTelemetry Protocol Exporter, and Environment Variable Specification (1.50).
const urls: readonly (readonly [environment: Variables, url: string])[] = [
  [ENDPOINT, 'http://collector:4318/v1/metrics'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector/otlp/' }, 'https://collector/otlp/v1/metrics'],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://metrics/api' }, 'http://metrics/api'],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: '' }, 'http://collector:4318/v1/metrics'],
  [{ OTEL_METRICS_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/metrics'],
]

test('the endpoint of all signals is a base address, and that of metrics is used as it is', () => {
  for (const [environment, url] of urls) assert.equal(read(environment)?.url.href, url)
})

test('the default is protobuf, cumulative, uncompressed, every minute, with the worker as the instance', () => {
  const { url: _, ...settings } = read(ENDPOINT) ?? assert.fail('it is switched off')
  assert.deepEqual(settings, {
    format: 'protobuf',
    headers: {},
    isCompressed: false,
    timeoutMs: 10_000,
    intervalMs: 60_000,
    attributes: { 'service.name': 'tributary', 'service.instance.id': 'worker:8083' },
    tls: {},
  })
})

test('nothing is exported when the export is switched off, or another exporter is named', () => {
  for (const off of [
    { OTEL_SDK_DISABLED: 'TRUE' },
    { OTEL_METRICS_EXPORTER: 'none' },
    { OTEL_METRICS_EXPORTER: 'prometheus' },
  ]) {
    assert.equal(read({ ...ENDPOINT, ...off }), null)
  }
})

test('headers and attributes are percent-encoded pairs; a variable for metrics has precedence', () => {
  const settings = read({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=all',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'api-key=a%20b%3Dc, x-tenant = 7',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_TIMEOUT: '1500',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_METRIC_EXPORT_INTERVAL: '5000',
    OTEL_METRIC_EXPORT_TIMEOUT: '1000',
    OTEL_METRICS_EXPORTER: 'prometheus,otlp',
    OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'Cumulative',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment=test',
    OTEL_SERVICE_NAME: 'cdc',
  })
  assert.deepEqual(settings, {
    url: new URL('http://collector:4318/v1/metrics'),
    format: 'json',
    headers: { 'api-key': 'a b=c', 'x-tenant': '7' },
    isCompressed: true,
    timeoutMs: 1000,
    intervalMs: 5000,
    attributes: { 'service.name': 'cdc', 'service.instance.id': 'worker:8083', 'deployment.environment': 'test' },
    tls: {},
  })
})

const refused: readonly (readonly [environment: Variables, message: RegExp])[] = [
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    /^OTEL_EXPORTER_OTLP_ENDPOINT cannot be used: it is not an address/,
  ],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://me:hush@collector' }, /contains a login.*OTEL_EXPORTER_OTLP_HEADERS/],
  [
    { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    /OTLP_PROTOCOL cannot be used: it is grpc, and Tributary has: http\/protobuf, http\/json/,
  ],
  [
    { ...ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: 'br' },
    /METRICS_COMPRESSION.*br, and Tributary has: none, gzip/,
  ],
  [{ ...ENDPOINT, OTEL_METRICS_EXPORTER: 'console,otlp' }, /OTEL_METRICS_EXPORTER.*console/],
  [
    { ...ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta' },
    /TEMPORALITY_PREFERENCE.*it is delta, and Tributary has: cumulative/,
  ],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: '10s' }, /OTLP_TIMEOUT.*10s is not a number of milliseconds/],
  [{ ...ENDPOINT, OTEL_METRIC_EXPORT_INTERVAL: '0' }, /OTEL_METRIC_EXPORT_INTERVAL/],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'hush' }, /OTLP_HEADERS cannot be used: it is not a list of name=value/],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'key=%hush' }, /not percent-encoded/],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'key=hush%0a' }, /OTLP_HEADERS.*characters that headers cannot have/],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'hush key=1' }, /OTLP_HEADERS cannot be used/],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_CERTIFICATE: '/missing/ca.pem' }, /OTLP_CERTIFICATE.*no such file.*ca\.pem/],
  [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_CLIENT_KEY: '/missing/key' }, /OTLP_CLIENT_KEY.*are needed together/],
]

test('a value that cannot be used is named with its variable, and no secret is shown', () => {
  for (const [environment, message] of refused) {
    assert.throws(
      () => read(environment),
      (error: Error) => message.test(error.message) && !error.message.includes('hush'),
      JSON.stringify(environment),
    )
  }
})

test('a file that is no certificate is named with its variable', async () => {
  await using folder = temporaryFolder('otlp')
  const path = join(folder.path, 'ca.pem')
  writeFileSync(path, '-----BEGIN CERTIFICATE-----\nhush\n-----END CERTIFICATE-----\n')
  assert.throws(
    () => read({ ...ENDPOINT, OTEL_EXPORTER_OTLP_CERTIFICATE: path }),
    (error: Error) =>
      /OTLP_CERTIFICATE cannot be used: its certificate 1 of 1 is damaged/.test(error.message) &&
      !error.message.includes('hush'),
  )
})
