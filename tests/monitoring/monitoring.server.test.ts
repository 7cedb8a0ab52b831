/**
 * The board, the alerts and the metrics in a real Prometheus, which scrapes a real worker with connectors for both
 * servers.
 */
import {
  connectorConfig,
  type Database,
  eventually,
  promtool,
  type PrometheusSample,
  type PrometheusServer,
  startPrometheus,
  startService,
  uniqueName,
  useKafka,
  useMariaDb,
  useMySql,
  type Service,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { boardExpressions } from './board-expressions.ts'

const BOARD = fileURLToPath(new URL('../../monitoring/grafana-board.json', import.meta.url))
const ALERTS = fileURLToPath(new URL('../../monitoring/alerts.yml', import.meta.url))
const ALERT_TESTS = fileURLToPath(new URL('../../monitoring/alerts.test.yml', import.meta.url))
/** Names that Kafka Connect and Debezium impose; ours must satisfy every rule of Prometheus. */
const IMPOSED = /^(kafka|debezium)_/

const name = uniqueName('monitored')
let service: Service
let prometheus: PrometheusServer
let databases: readonly Database[] = []

async function scrape(accept = 'text/plain'): Promise<string> {
  const answer = await fetch(`${service.url}/metrics`, { headers: { accept } })
  return answer.text()
}

/** Changes of each kind on both servers, so that every counter has a reason to move. */
async function change(): Promise<void> {
  for (const database of databases) {
    await database.query(
      `INSERT INTO ${name}.t (text) VALUES ('a'), ('b'); UPDATE ${name}.t SET text = 'c' ORDER BY id DESC LIMIT 1;
       DELETE FROM ${name}.t ORDER BY id LIMIT 1`,
    )
  }
}

before(async () => {
  const { bootstrapServers } = await useKafka()
  databases = await Promise.all([useMySql(), useMariaDb()])
  service = await startService({ bootstrapServers })
  for (const database of databases) {
    await database.query(
      `CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY AUTO_INCREMENT, text VARCHAR(10));
       INSERT INTO ${name}.t (text) VALUES ('x'), ('y'), ('z')`,
    )
    const prefix = `${name}_${database.flavor}`
    const more = {
      'snapshot.tables.order.by.row.count': 'descending',
      // The first measurement may come before the first offset, and the next one by default a minute later.
      'binlog.loss.check.interval.ms': '1000',
    }
    const config = connectorConfig({ database, bootstrapServers, prefix, includes: name, more })
    const { status, text } = await service.rest('POST', '/connectors', { name: prefix, config })
    assert.equal(status, 201, text)
  }
  prometheus = await startPrometheus({ targets: [service.url.replace('http://', '')], ruleFiles: [ALERTS] })
  // The rows of a snapshot are counted below, so no change may come before it.
  await eventually(
    'both connectors have taken their snapshot',
    async () => (await prometheus.query('debezium_metrics_SnapshotCompleted == 1')).length === 2,
    { timeoutMs: 60_000 },
  )
  await eventually(
    'both connectors have streamed changes',
    async () => {
      await change()
      const found = await prometheus.query('tributary_commit_to_ack_seconds_count > 0')
      return found.length === 2
    },
    { timeoutMs: 60_000 },
  )
})

after(async () => {
  await prometheus?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
})

test('each expression of the board returns data', async () => {
  let missing = boardExpressions(BOARD)
  assert.ok(missing.length >= 30)
  const check = async (): Promise<true> => {
    await change()
    const results = await Promise.all(missing.map(({ expression }) => prometheus.query(expression)))
    missing = missing.filter((_, i) => !hasData(results[i] ?? []))
    if (missing.length === 0) return true
    throw new Error(missing.map(({ panel, expression }) => `${panel}: ${expression}`).join('\n'))
  }
  await eventually('each expression has returned data', check, { everyMs: 500, timeoutMs: 60_000 })
})

/** Grafana shows nothing for a value that is not a number. */
function hasData(samples: readonly PrometheusSample[]): boolean {
  return samples.length > 0 && samples.every(({ value }) => Number.isFinite(value))
}

test('each alert is evaluated by Prometheus, and none fires or is pending while everything is well', async () => {
  const names = [...readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, each]) => each)
  const states = await eventually('all alerts are evaluated', async () => {
    const found = await prometheus.alertStates()
    return Object.keys(found).length === names.length && found
  })
  assert.deepEqual(states, Object.fromEntries(names.map((each) => [each, 'inactive'])))
})

test('each metric of an alert exists', async () => {
  const expressions = [...readFileSync(ALERTS, 'utf8').matchAll(/expr: (.*)/g)].map(([, each = '']) => each)
  const metrics = new Set(expressions.flatMap((each) => each.match(/\b(?:tributary|kafka)_\w+|\bup\b/g) ?? []))
  for (const metric of metrics) assert.notDeepEqual(await prometheus.query(metric), [], metric)
})

test('each alert has a case in which it fires and one in which it does not, and promtool confirms them', async () => {
  const rules = await promtool(['check', 'rules', ALERTS])
  assert.equal(rules.code, 0, rules.stdout + rules.stderr)
  const cases = await promtool(['test', 'rules', ALERT_TESTS])
  assert.equal(cases.code, 0, cases.stdout + cases.stderr)
  const tests = readFileSync(ALERT_TESTS, 'utf8')
  for (const [, each = ''] of readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)) {
    assert.match(tests, new RegExp(`alertname: ${each}, exp_alerts: \\[\\]`), each)
    assert.match(tests, new RegExp(`alertname: ${each}\\s+exp_alerts:\\s+- exp_labels`), each)
  }
})

test('promtool finds no fault in our own metrics, and only imposed names among the others', async () => {
  const text = await scrape()
  const { stdout, stderr } = await promtool(['check', 'metrics'], text)
  const findings = `${stdout}${stderr}`.split('\n').filter((line) => line !== '')
  assert.deepEqual(
    findings.filter((line) => !IMPOSED.test(line)),
    [],
  )
})

test('Prometheus reads OpenMetrics, and both connectors have the metrics of Debezium with the labels of its example', async () => {
  assert.match(await scrape('application/openmetrics-text;version=1.0.0'), /# EOF\n$/)
  const up = await prometheus.query('up')
  assert.deepEqual(
    up.map(({ value }) => value),
    [1],
  )
  const seen = await prometheus.query('debezium_metrics_TotalNumberOfEventsSeen{context="streaming"} > 0')
  assert.deepEqual(
    seen
      .map(({ labels: { plugin, name: prefix } }) => [plugin, prefix])
      .toSorted(([a = ''], [b = '']) => a.localeCompare(b)),
    [
      ['mariadb', `${name}_mariadb`],
      ['mysql', `${name}_mysql`],
    ],
  )
  const scanned = await prometheus.query('debezium_metrics_RowsScanned{context="snapshot"}')
  assert.deepEqual(
    scanned.map(({ labels: { table }, value }) => [table, value]),
    [
      [`${name}.t`, 3],
      [`${name}.t`, 3],
    ],
  )
  // The test made three inserts before the snapshot; it knows no other number. The database counts the rest.
  for (const database of databases) {
    const [row] = await database.query(`SELECT MAX(id) AS inserts FROM ${name}.t`)
    const created = await eventually('all inserts are counted', async () => {
      const [sample] = await prometheus.query(
        `tributary_events_total{connector="${name}_${database.flavor}", operation="create"}`,
      )
      return sample !== undefined && sample.value + 3 >= Number(row?.['inserts']) && sample
    })
    assert.deepEqual([created.labels['table'], created.value + 3], [`${name}.t`, Number(row?.['inserts'])])
  }
})
