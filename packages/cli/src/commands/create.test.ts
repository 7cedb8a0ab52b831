/** `tributary connectors create` against a fake service. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
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
  for (const config of [
    '{"tasks.max":"1","database.password":"hunter2"}',
    '{"connector.class":""}',
    '{"connector.class":null}',
  ]) {
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
