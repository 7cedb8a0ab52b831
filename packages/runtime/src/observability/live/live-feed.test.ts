import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectorStateInfo, LiveStart, LiveUpdate } from '@tributary/rest-api'
import type { MeterSnapshot } from '@tributary/support'
import { fakeClock } from '@tributary/testkit'
import { Notifications } from '../../worker/notifications.ts'
import { LiveFeed, type LiveSubject } from './live-feed.ts'

const FULL = { access: 'full', mayReadEvents: true } as const
const place = { worker_id: 'w:1', version: '1' }

function reportOf(counters: Readonly<Record<string, number>>, gauges: Readonly<Record<string, number>>): MeterSnapshot {
  return { counters, gauges, histograms: {}, families: [] }
}

/** A worker with one connector, whose state and numbers a test sets. */
class TestSubject implements LiveSubject {
  names = ['shop']
  state: ConnectorStateInfo['connector']['state'] = 'RUNNING'
  taskState: 'RUNNING' | 'FAILED' = 'RUNNING'
  report: MeterSnapshot | null = null
  readonly notifications: Notifications = new Notifications()
  readonly herder: LiveSubject['herder'] = {
    notifications: this.notifications,
    taskMetrics: () => this.report,
    connectorNames: () => this.names,
    connectorConfig: () => ({ 'connector.class': 'a.MySqlConnector' }),
    connectorStatus: (name) => ({
      name,
      connector: { state: this.state, ...place },
      tasks: [
        { id: 0, state: this.taskState, ...place, ...(this.taskState === 'FAILED' ? { trace: 'X: why\n\tat y' } : {}) },
      ],
      type: 'source',
    }),
  }
  readonly lossWatch: LiveSubject['lossWatch'] = { read: () => null }
}

test('rates are those between two reports, also when reports and samples do not coincide', async () => {
  const clock = fakeClock()
  const subject = new TestSubject()
  await using feed = new LiveFeed({ version: 'v', health: () => ({ status: 'healthy', message: '' }), clock })
  subject.report = reportOf({ 'records.polled': 100, 'records.sent': 90, 'bytes.sent': 1_000 }, {})
  feed.observe(subject)
  const updates: LiveUpdate[] = []
  feed.listen((json) => updates.push(JSON.parse(json) as LiveUpdate))
  const sampleAfter = async (ms: number): Promise<readonly (number | null)[]> => {
    await clock.advance(ms)
    return (updates.at(-1)?.connectors[0]?.sample ?? []).slice(1, 7)
  }
  assert.deepEqual(await sampleAfter(2_000), [null, null, null, null, 0, 0])
  subject.report = reportOf(
    { 'records.polled': 300, 'records.sent': 290, 'bytes.sent': 5_000 },
    { 'lag.ms': 12, 'queue.bytes': 7, 'records.inFlight': 3 },
  )
  // 4 s after the first report.
  assert.deepEqual(await sampleAfter(2_000), [50, 50, 1_000, 12, 7, 3])
  // No new report yet: the rate is the last known one.
  assert.deepEqual(await sampleAfter(2_000), [50, 50, 1_000, 12, 7, 3])
  assert.deepEqual(
    (await sampleAfter(8_000)).slice(0, 3),
    [null, null, null],
    'a task that reports no more has no rate',
  )
  // A task that was started again counts from zero.
  subject.report = reportOf({ 'records.polled': 5, 'records.sent': 5, 'bytes.sent': 50 }, {})
  assert.deepEqual((await sampleAfter(2_000)).slice(0, 3), [null, null, null])
  assert.equal(updates.at(-1)?.connectors[0]?.lastLagMs, 12)
})

test('changes of state are remembered with their time, and a page that opens gets them', async () => {
  const clock = fakeClock()
  const subject = new TestSubject()
  await using feed = new LiveFeed({ version: 'v', health: () => ({ status: 'healthy', message: '' }), clock })
  feed.observe(subject)
  subject.taskState = 'FAILED'
  await clock.advance(2_000)
  const { connectors, update } = JSON.parse(feed.start(FULL)) as LiveStart
  assert.deepEqual(
    connectors['shop']?.changes.map(({ task, from, to }) => [task, from, to]),
    [
      [null, null, 'RUNNING'],
      [0, null, 'RUNNING'],
      [0, 'RUNNING', 'FAILED'],
    ],
  )
  assert.deepEqual(update.connectors[0]?.tasks, [{ id: 0, state: 'FAILED', trace: 'X: why\n\tat y' }])
  subject.names = []
  await clock.advance(2_000)
  assert.deepEqual((JSON.parse(feed.start(FULL)) as LiveStart).connectors, {})
})

test('samples are kept for fifteen minutes', async () => {
  const clock = fakeClock()
  const subject = new TestSubject()
  await using feed = new LiveFeed({ version: 'v', health: () => ({ status: 'healthy', message: '' }), clock })
  feed.observe(subject)
  for (let i = 0; i < 500; i += 1) await clock.advance(2_000)
  const { connectors, worker } = JSON.parse(feed.start(FULL)) as LiveStart
  assert.deepEqual([connectors['shop']?.samples.length, worker.length], [450, 450])
})

/** The counts of a table, and the latencies of three records in buckets of Prometheus. */
function familiesOf(creates: number, updates: number, latencies: readonly number[]): MeterSnapshot['families'] {
  const definition = { type: 'counter' as const, help: '', unit: '', labels: [], bean: null }
  const sample = (operation: string, value: number): { labels: Record<string, string>; value: number } => ({
    labels: { connector: 'shop', task: '0', table: 'shop.t', operation },
    value,
  })
  return [
    {
      definition: { ...definition, name: 'tributary_events_total' },
      samples: [sample('create', creates), sample('update', updates), sample('truncate', 1)],
      distributions: [],
    },
    {
      definition: { ...definition, name: 'tributary_commit_to_ack_seconds', type: 'histogram' },
      samples: [],
      distributions: [{ bounds: [0.001, 0.01, 0.1], counts: latencies, sum: 0, labels: {} }],
    },
  ]
}

test('a sample has the events by operation and the latency of the records since the last report', async () => {
  const clock = fakeClock()
  const subject = new TestSubject()
  await using feed = new LiveFeed({ version: 'v', health: () => ({ status: 'healthy', message: '' }), clock })
  subject.report = { ...reportOf({}, {}), families: familiesOf(10, 0, [100, 0, 0, 0]) }
  feed.observe(subject)
  subject.report = { ...reportOf({}, {}), families: familiesOf(30, 4, [100, 2, 2, 0]) }
  await clock.advance(2_000)
  const { update } = JSON.parse(feed.start(FULL)) as LiveStart
  const [rows, creates, updates, deletes, medianMs, high99Ms] = update.connectors[0]?.sample.slice(7) ?? []
  // 20 creates and 4 updates in 2 s. Of four records, two took at most 10 ms, and two at most 100 ms.
  assert.deepEqual([rows, creates, updates, deletes], [0, 10, 2, 0])
  assert.deepEqual([medianMs, high99Ms], [10, 98.2])
})

test('notifications are sent with the next update, and new pages get the last ones', async () => {
  const clock = fakeClock()
  const subject = new TestSubject()
  await using feed = new LiveFeed({ version: 'v', health: () => ({ status: 'healthy', message: '' }), clock })
  feed.observe(subject)
  const updates: LiveUpdate[] = []
  feed.listen((json) => updates.push(JSON.parse(json) as LiveUpdate))
  const note = { aggregateType: 'Initial Snapshot', type: 'COMPLETED', data: { tables: 'x'.repeat(5_000) } }
  subject.notifications.send('shop', { ...note, timestampMs: 7 })
  await clock.advance(2_000)
  await clock.advance(2_000)
  const sent = { ms: 7, subject: 'Initial Snapshot', type: 'COMPLETED', data: { tables: 'x'.repeat(1_000) } }
  assert.deepEqual(
    updates.map(({ notifications }) => notifications),
    [[{ connector: 'shop', ...sent }], []],
  )
  for (let i = 0; i < 200; i += 1) subject.notifications.send('shop', { ...note, timestampMs: i })
  const start = JSON.parse(feed.start(FULL)) as LiveStart
  const kept = start.connectors['shop']?.notifications ?? []
  assert.deepEqual([kept.length, kept.at(-1)?.ms], [100, 199])
})
