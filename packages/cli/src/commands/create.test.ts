/** `tributary connectors create` against a fake service. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryFolder } from '@tributary/testkit'
import { runCli } from '../testing/cli-process.ts'
import { fakeService, page } from '../testing/fake-service.ts'

test('create requests warnings before the registration and prints them after it; the service may have none', async () => {
  await using folder = temporaryFolder('create')
  const file = join(folder.path, 'connector.json')
  writeFileSync(file, '{"name":"shop","config":{"connector.class":"MySql","topic.prefix":"shop"}}')
  const requests: string[] = []
  const withWarnings = '{"name":"MySql","configs":[],"warnings":[{"property":"topic.prefix","message":"it is shared"}]}'
  const serve = (validation: RequestListener): RequestListener => {
    return (request, response) => {
      requests.push(`${request.method} ${request.url}`)
      if (request.method === 'POST') page(201, '{"name":"shop"}')(request, response)
      else validation(request, response)
    }
  }
  const validations = [
    page(200, withWarnings),
    page(200, '{"configs":[]}'),
    page(500, '{"error_code":500,"message":"no"}'),
  ]
  const warnings: string[] = []
  for (const validation of validations) {
    await using server = await fakeService(serve(validation))
    const { code, stdout, stderr } = await runCli(['connectors', 'create', file, '--url', server.url])
    assert.deepEqual([code, stdout], [0, 'shop: created\n'])
    warnings.push(stderr)
  }
  assert.deepEqual(warnings, ['tributary connectors: warning: it is shared\n', '', ''])
  assert.deepEqual(requests.slice(0, 2), [
    'PUT /connector-plugins/MySql/config/validate?warnings=true',
    'POST /connectors',
  ])
})

test('the error for a document without connector.class names the classes; nothing is registered', async () => {
  await using folder = temporaryFolder('create-classless')
  const file = join(folder.path, 'connector.json')
  const requests: string[] = []
  const plugins =
    '[{"class":"a.MySqlConnector","type":"source","version":"1"},{"class":"b.FileSink","type":"sink","version":"1"},{"class":"c.MariaDbConnector","type":"source"}]'
  await using server = await fakeService((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    page(200, plugins)(request, response)
  })
  for (const config of ['{"tasks.max":"1","database.password":"hunter2"}', '{"connector.class":""}']) {
    writeFileSync(file, `{"name":"shop","config":${config}}`)
    const { code, stdout, stderr } = await runCli(['connectors', 'create', file, '--url', server.url])
    assert.deepEqual([code, stdout], [2, ''])
    assert.equal(
      stderr,
      `tributary connectors: ${file} does not name a connector that can be used: it has no connector.class. Set connector.class to one of: a.MySqlConnector, c.MariaDbConnector.\n`,
    )
  }
  assert.deepEqual(new Set(requests), new Set(['GET /connector-plugins']))
})

const DOCUMENTS = `
apiVersion: kafka.strimzi.io/v1
kind: KafkaConnector
metadata: { name: shop }
spec: { class: MySql, tasksMax: 1, state: paused, config: { database.password: hunter2, topic.prefix: shop } }
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaConnector
metadata: { name: orders }
spec: { class: MySql, config: { database.password: "\${env:PASSWORD}" } }
`

test('create registers each connector of a file and prints the JSON that it became, without secrets', async () => {
  await using folder = temporaryFolder('create-several')
  const file = join(folder.path, 'connectors.yaml')
  writeFileSync(file, DOCUMENTS)
  const bodies: unknown[] = []
  await using server = await fakeService((request, response) => {
    void text(request).then((body) => {
      if (request.method === 'POST') bodies.push(JSON.parse(body))
      page(request.method === 'POST' ? 201 : 200, '{"configs":[]}')(request, response)
    })
  })
  const { code, stdout, stderr } = await runCli(['connectors', 'create', file, '--url', server.url])
  assert.deepEqual([code, stderr], [0, ''])
  const config = {
    'database.password': 'hunter2',
    'topic.prefix': 'shop',
    'connector.class': 'MySql',
    'tasks.max': '1',
  }
  assert.deepEqual(bodies, [
    { name: 'shop', config, initial_state: 'PAUSED' },
    { name: 'orders', config: { 'database.password': '${env:PASSWORD}', 'connector.class': 'MySql' } },
  ])
  assert.equal(
    stdout,
    `{
  "name": "shop",
  "config": {
    "database.password": "[hidden]",
    "topic.prefix": "shop",
    "connector.class": "MySql",
    "tasks.max": "1"
  },
  "initial_state": "PAUSED"
}
shop: created
{
  "name": "orders",
  "config": {
    "database.password": "\${env:PASSWORD}",
    "connector.class": "MySql"
  }
}
orders: created
`,
  )
})

test('a statement with IF NOT EXISTS leaves an existing connector as it is; one without it is refused', async () => {
  await using folder = temporaryFolder('create-ksql')
  const file = join(folder.path, 'connector.sql')
  const exists = '{"error_code":409,"message":"Connector shop already exists"}'
  await using server = await fakeService((request, response) => {
    const isCreation = request.method === 'POST'
    page(isCreation ? 409 : 200, isCreation ? exists : '{"configs":[]}')(request, response)
  })
  const run = async (clause: string): Promise<readonly [code: number, stderr: string]> => {
    writeFileSync(file, `CREATE SOURCE CONNECTOR ${clause} \`shop\` WITH ('connector.class' = 'MySql');`)
    const { code, stderr } = await runCli(['connectors', 'create', file, '--url', server.url])
    return [code, stderr]
  }
  assert.deepEqual(await run('IF NOT EXISTS'), [
    0,
    'tributary connectors: shop already exists and is not changed (IF NOT EXISTS).\n',
  ])
  assert.deepEqual(await run(''), [1, 'tributary connectors: Connector shop already exists (409)\n'])
})
