/** What a real worker exports over OTLP, beside its `/metrics`. The encoding as JSON, which needs no library to read. */
import {
  connectorConfig,
  eventually,
  fullTest,
  type Service,
  startService,
  uniqueName,
  useKafka,
  useMySql,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'

/** Must not be in any output of the worker. */
const SECRET = 'hush-0815'

/** Values by name and labels, as in a line of `/metrics`. */
type Values = ReadonlyMap<string, number>

function series(name: string, labels: readonly (readonly [label: string, value: string])[]): string {
  return JSON.stringify([name, ...labels.toSorted(([one], [other]) => (one < other ? -1 : 1))])
}

function scraped(text: string): Values {
  const lines = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)]
  return new Map(
    lines.map(([, name = '', labels = '', value]) => {
      const pairs = Array.from(
        labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g),
        ([, label = '', of = '']) => [label, of] as const,
      )
      return [series(name, pairs), Number(value)]
    }),
  )
}

interface OtlpAttribute {
  readonly key: string
  readonly value: { readonly stringValue: string }
}

interface OtlpPoint {
  readonly attributes: readonly OtlpAttribute[]
  readonly asDouble?: number
  readonly sum?: number
  readonly count?: number | string
  readonly bucketCounts?: readonly (number | string)[]
  readonly explicitBounds?: readonly number[]
}

type OtlpKind = 'gauge' | 'sum' | 'histogram'
type OtlpMetric = { readonly name: string } & Readonly<
  Partial<Record<OtlpKind, { readonly dataPoints: readonly OtlpPoint[]; readonly aggregationTemporality?: number }>>
>

/** ExportMetricsServiceRequest of OTLP, as JSON. */
interface OtlpRequest {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] }
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[]
  }[]
}

const pairsOf = (attributes: readonly OtlpAttribute[]): readonly (readonly [string, string])[] =>
  attributes.map(({ key, value }) => [key, value.stringValue])

/** The series that a scrape has for a metric of OTLP: of a histogram its cumulated buckets, its sum and its count. */
function received({ resourceMetrics }: OtlpRequest): Values {
  const values = new Map<string, number>()
  for (const { name, gauge, sum, histogram } of resourceMetrics[0]?.scopeMetrics[0]?.metrics ?? []) {
    assert.ok([undefined, 2].includes((sum ?? histogram)?.aggregationTemporality), 'cumulative')
    for (const { attributes, asDouble } of (gauge ?? sum)?.dataPoints ?? []) {
      values.set(series(name, pairsOf(attributes)), Number(asDouble))
    }
    for (const point of histogram?.dataPoints ?? []) {
      const labels = pairsOf(point.attributes)
      values.set(series(`${name}_sum`, labels), Number(point.sum))
      values.set(series(`${name}_count`, labels), Number(point.count))
      let total = 0
      for (const [i, count] of (point.bucketCounts ?? []).entries()) {
        total += Number(count)
        const bound = String(point.explicitBounds?.[i] ?? '+Inf')
        values.set(series(`${name}_bucket`, [...labels, ['le', bound]]), total)
      }
    }
  }
  return values
}

interface Receiver extends AsyncDisposable {
  readonly url: string
  last: OtlpRequest | null
  /** The series of all exports: a metric that is reset by a reader may have no value for the next one. */
  readonly seen: Set<string>
  readonly tokens: Set<string | undefined>
}

async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      receiver.tokens.add(request.headers.authorization)
      receiver.last = JSON.parse(gunzipSync(Buffer.concat(parts)).toString()) as OtlpRequest
      for (const key of received(receiver.last).keys()) receiver.seen.add(key)
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    last: null,
    seen: new Set(),
    tokens: new Set(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}

/** The values of both ways, when all those are the same that did not change meanwhile. */
async function sameValues(service: Service, receiver: Receiver): Promise<{ before: Values; exported: Values }> {
  return eventually('all values that do not change are the same', async () => {
    const before = scraped((await service.rest('GET', '/metrics')).text)
    receiver.last = null
    await eventually('the next export', async () => receiver.last !== null)
    const exported = received(receiver.last ?? assert.fail())
    const after = scraped((await service.rest('GET', '/metrics')).text)
    const settled = [...before].filter(([key, value]) => after.get(key) === value && exported.has(key))
    assert.ok(settled.length > 100, String(settled.length))
    assert.deepEqual(
      settled.filter(([key, value]) => exported.get(key) !== value),
      [],
    )
    return { before, exported }
  })
}

test('a receiver of OTLP gets what a scrape gets: names, labels, buckets and numbers', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const name = uniqueName('otlp')
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY)`)
  await database.query(`INSERT INTO ${name}.t VALUES (1), (2), (3)`)
  await using receiver = await startReceiver()
  await using service = await startService({
    bootstrapServers,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/base`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${SECRET}`,
      OTEL_METRIC_EXPORT_INTERVAL: '300',
      OTEL_SERVICE_NAME: name,
    },
  })
  await service.register(name, connectorConfig({ database, bootstrapServers, prefix: name, includes: name }))
  const isExported = (operation: string, count: number): Promise<unknown> =>
    eventually(`${count} events (${operation}) are exported`, async () => {
      const values = receiver.last === null ? new Map<string, number>() : received(receiver.last)
      const labels = { connector: name, operation, table: `${name}.t`, task: '0' }
      return values.get(series('tributary_events_total', Object.entries(labels))) === count
    })
  await isExported('read', 3)
  await database.query(`INSERT INTO ${name}.t VALUES (4)`)
  await isExported('create', 1)

  const { before, exported } = await sameValues(service, receiver)
  assert.ok([...exported.keys()].some((each) => each.startsWith('["tributary_commit_to_ack_seconds_bucket"')))
  // Only /metrics has the second names of metrics of Connect and Debezium.
  assert.deepEqual(
    [...before.keys()].filter((each) => !receiver.seen.has(each) && !/^\["(kafka|debezium)_/.test(each)),
    [],
  )
  const attributes = new Map(pairsOf(receiver.last?.resourceMetrics[0]?.resource.attributes ?? []))
  assert.equal(attributes.get('service.name'), name)
  assert.equal(attributes.get('service.instance.id'), service.url.replace('http://', ''))

  receiver.last = null
  await service.stop()
  assert.ok(receiver.last !== null, 'the last numbers are exported at the end')
  assert.deepEqual(receiver.tokens, new Set([`Bearer ${SECRET}`]))
  assert.match(service.log, /Metrics are exported over OTLP to http:\/\/127\.0\.0\.1:\d+\/base\/v1\/metrics/)
  assert.doesNotMatch(service.log, /not exported|hush/)
})

fullTest(
  'a setting that cannot be used, or a receiver that is down, is one warning; the worker does its work',
  async () => {
    const { bootstrapServers } = await useKafka()
    const cases = [
      [
        { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:9/v1/metrics', OTEL_METRIC_EXPORT_INTERVAL: '50' },
        /WARN .*The metrics were not exported: The receiver of OTLP at http:\/\/127\.0\.0\.1:9\/v1\/metrics did not accept the metrics: /,
      ],
      [
        { OTEL_METRICS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
        /WARN .*Metrics are not exported over OTLP: OTEL_EXPORTER_OTLP_PROTOCOL cannot be used: it is grpc/,
      ],
    ] as const
    for (const [env, warning] of cases) {
      await using service = await startService({
        bootstrapServers,
        env: { ...env, OTEL_EXPORTER_OTLP_HEADERS: `a=${SECRET}` },
      })
      await service.waitForLog(warning)
      const beforeMs = performance.now()
      await service.stop()
      assert.ok(performance.now() - beforeMs < 2_000, 'the receiver does not hold up the end')
      assert.equal(service.log.match(/not exported/g)?.length, 1, service.log)
      assert.match(service.log, /Worker stopped\n$/)
      assert.doesNotMatch(service.log, /hush/)
    }
  },
)
