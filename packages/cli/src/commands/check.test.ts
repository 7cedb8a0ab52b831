/** `tributary check` where no server is needed. */
import { temporaryFolder } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../testing/cli-process.ts'

test('of an Avro connector with an invalid property the whole report is told, and no table is looked at', async () => {
  await using folder = temporaryFolder('check-invalid')
  const file = join(folder.path, 'connector.json')
  const config = {
    'connector.class': 'io.debezium.connector.mysql.MySqlConnector',
    'database.hostname': 'none.invalid',
    'database.user': 'u',
    'database.server.id': '5',
    'value.converter': 'avro',
    'value.converter.schema.registry.url': 'http://127.0.0.1:1',
    'tabel.include.list': 'a.b',
  }
  writeFileSync(file, JSON.stringify({ name: 'checked', config }))
  const { code, stdout, stderr } = await runCli(['check', file])
  assert.equal(stderr, '')
  assert.equal(code, 1)
  assert.match(stdout, /✖ topic\.prefix\n {4}.*A value is required/)
  assert.match(stdout, /⚠ tabel\.include\.list\n/)
})
