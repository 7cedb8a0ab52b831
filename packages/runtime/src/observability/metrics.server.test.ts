/** `/metrics` of a real worker, compared with what the test has written and with what the statuses say. */
import {
  connectorConfig,
  eventually,
  type Service,
  startService,
  uniqueName,
  useKafka,
  useMySql,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'

async function metricsOf(service: Service, accept: string): Promise<{ readonly type: string; readonly text: string }> {
  const answer = await fetch(`${service.url}/metrics`, { headers: { accept } })
  assert.equal(answer.status, 200)
  return { type: answer.headers.get('content-type') ?? '', text: await answer.text() }
}

/** The value of the only sample whose name and labels match. */
function valueOf(text: string, name: string, labels: Readonly<Record<string, string>>): number | null {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  const found = lines.filter((line) =>
    Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)),
  )
  return found.length === 1 ? Number(found[0]?.split(' ').at(-1)) : null
}

test('the metrics of a task appear with it, have the same values in both formats, and disappear with it', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  const name = uniqueName('metrics')
  await database.query(`
    CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY); INSERT INTO ${name}.t VALUES (1), (2)`)
  await using service = await startService({ bootstrapServers })
  const config = connectorConfig({ database, bootstrapServers, prefix: name, includes: name })
  const before = await metricsOf(service, 'text/plain')
  await service.rest('POST', '/connectors', { name, config })
  const task = { connector: name, task: '0' }
  const count = 'tributary_commit_to_ack_seconds_count'
  await eventually('the task streams', async () => {
    await database.query(`INSERT INTO ${name}.t SELECT MAX(id) + 1 FROM ${name}.t`)
    return (valueOf((await metricsOf(service, '*/*')).text, count, task) ?? 0) > 0
  })
  const [plain, open] = [await metricsOf(service, '*/*'), await metricsOf(service, 'application/openmetrics-text')]
  await service.rest('DELETE', `/connectors/${name}`)
  const after = await eventually('the task has ended', async () => {
    const { text } = await metricsOf(service, '*/*')
    return !text.includes(name) && text
  })

  assert.equal(plain.type, 'text/plain; version=0.0.4; charset=utf-8')
  assert.equal(open.type, 'application/openmetrics-text; version=1.0.0; charset=utf-8')
  assert.match(open.text, /\n# EOF\n$/)
  assert.equal(valueOf(before.text, 'kafka_connect_worker_connector_count', {}), 0)
  const own = [
    ['kafka_connect_source_task_source_record_write_total', task],
    ['kafka_connect_source_task_metrics_source_record_write_total', task],
    ['kafka_producer_record_send_total', { clientid: `connector-producer-${name}-0` }],
    ['kafka_producer_producer_metrics_record_send_total', { client_id: `connector-producer-${name}-0` }],
    [count, task],
  ] as const
  const valuesIn = (text: string): readonly (number | null)[] =>
    own.map(([metric, labels]) => valueOf(text, metric, labels))
  assert.deepEqual(valuesIn(open.text), valuesIn(plain.text))
  assert.equal(new Set(valuesIn(plain.text).slice(0, 4)).size, 1)
  assert.equal(valueOf(plain.text, 'kafka_connect_connector_task_status', { ...task, status: 'running' }), 1)
  assert.equal(valueOf(plain.text, 'kafka_connect_worker_connector_running_task_count', { connector: name }), 1)
  assert.equal(valueOf(after, 'kafka_connect_worker_task_count', {}), 0)
  // Once, unless something on the servers, which other tests use as well, has made the task start again.
  const starts = service.log.match(new RegExp(`Starting task ${name}-0`, 'g'))?.length
  assert.ok(starts === 1 || /"level":"(warn|error)"|\b(WARN|ERROR)\b/.test(service.log), service.log)
  assert.equal(valueOf(after, 'kafka_connect_worker_task_startup_success_total', {}), starts)
})
