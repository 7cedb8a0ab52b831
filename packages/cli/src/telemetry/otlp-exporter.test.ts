/** Receivers that fail: doubles, because real ones do not. A real receiver is in tests/monitoring/otlp.server.test.ts. */
import { captureLogger, fakeClock, type CaptureLogger, type FakeClock, eventually } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { MetricFamily } from '@tributary/support'
import { OtlpExporter } from './otlp-exporter.ts'
import { otlpSettings } from './otlp-settings.ts'

const INTERVAL_MS = 60_000
/** Must not be in any line of the log. */
const SECRET = 'hush-4711'

const families: readonly MetricFamily[] = [
  {
    definition: { name: 'tributary_up', type: 'gauge', help: 'Up.', unit: '', labels: [], bean: null },
    samples: [{ labels: {}, value: 1 }],
    distributions: [],
  },
]

interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly requests: number
}

async function receiver(answer: RequestListener): Promise<Receiver> {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Fixture {
  readonly exporter: OtlpExporter
  readonly clock: FakeClock
  readonly logger: CaptureLogger
}

function exporterTo(url: string, environment: Readonly<Record<string, string>> = {}): Fixture {
  const [clock, logger] = [fakeClock(), captureLogger()]
  const settings = otlpSettings(
    {
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${url}/v1/metrics?api_key=${SECRET}`,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${SECRET}`,
      ...environment,
    },
    'worker:8083',
  )
  assert.ok(settings)
  const exporter = new OtlpExporter({ settings, version: '1', snapshot: async () => families, logger, clock })
  return { exporter, clock, logger }
}

/** Lets exports run until the receiver has had `count` requests and the result of the last one is known. */
async function exports(
  { clock }: Fixture,
  { requests }: { readonly requests: () => number },
  count: number,
): Promise<void> {
  while (requests() < count) {
    await clock.advance(INTERVAL_MS)
    const before = requests()
    await eventually('the next export is scheduled', async () => clock.pending === 1 && before <= requests())
  }
}

test('a receiver that refuses with ever new texts is one warning without secrets, and its recovery one line', async () => {
  let status = 401
  await using server = await receiver((request, response) => {
    const seen = `attempt ${server.requests}: ${request.headers.authorization} ${request.url}`
    response.writeHead(status, { 'Content-Type': 'text/plain' }).end(status === 200 ? '' : seen)
  })
  const fixture = exporterTo(server.url)
  await exports(fixture, { requests: () => server.requests }, 5)
  status = 200
  await exports(fixture, { requests: () => server.requests }, 7)
  await fixture.exporter[Symbol.asyncDispose]()

  const lines = fixture.logger.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message)
  assert.equal(lines.length, 3, lines.join('\n'))
  assert.equal(lines[0], `Metrics are exported over OTLP to ${server.url}/v1/metrics every 60 s`)
  assert.match(
    lines[1] ?? '',
    /^The metrics were not exported: .*status 401: attempt [^ ]+: \[hidden\] \S*api_key=\[hidden\].* every 60 s$/,
  )
  assert.equal(lines[2], 'The metrics are exported again')
  assert.ok(!JSON.stringify(fixture.logger.lines).includes('4711'))
})

const refusing: readonly (readonly [name: string, answer: RequestListener, expected: RegExp])[] = [
  [
    'redirects',
    (_, response) => void response.writeHead(307, { Location: 'http://127.0.0.1:9/' }).end(),
    /it answered status 307\./,
  ],
  [
    'is a web server',
    (_, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>It works!</h1>'),
    /status 200 with a web page/,
  ],
  [
    // ExportMetricsServiceResponse { partial_success { rejected_data_points: 1, error_message: "old" } }
    'refuses a part',
    (_, response) =>
      void response
        .writeHead(200, { 'Content-Type': 'application/x-protobuf' })
        .end(Buffer.from([0x0a, 0x07, 0x08, 0x01, 0x12, 0x03, 0x6f, 0x6c, 0x64])),
    /it refused 1 values: old/,
  ],
  ['closes the connection', (request) => void request.socket.destroy(), /socket hang up/],
]

test('an answer that does not confirm the export is a warning with the reason', async () => {
  for (const [name, answer, expected] of refusing) {
    await using server = await receiver(answer)
    const fixture = exporterTo(server.url)
    await exports(fixture, { requests: () => server.requests }, 1)
    assert.match(fixture.logger.lines.find(({ level }) => level === 'warn')?.message ?? '', expected, name)
  }
})

test('the end waits at most 2 s for a receiver that does not answer, and not for one that failed before', async () => {
  await using server = await receiver(() => undefined)
  const fixture = exporterTo(server.url, { OTEL_EXPORTER_OTLP_TIMEOUT: '10000' })
  const ending = fixture.exporter[Symbol.asyncDispose]()
  await eventually('the last export is sent', async () => server.requests === 1)
  await fixture.clock.advance(2_000)
  await ending

  const failed = exporterTo(server.url)
  await failed.clock.advance(INTERVAL_MS)
  await eventually('the export is sent', async () => server.requests === 2)
  await failed.clock.advance(10_000)
  await eventually('it is late', async () =>
    failed.logger.lines.some(({ message }) => message.includes('did not answer in time')),
  )
  await failed.exporter[Symbol.asyncDispose]()
  assert.equal(server.requests, 2)
})
