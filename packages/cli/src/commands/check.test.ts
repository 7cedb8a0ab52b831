/** `tributary check` without servers. */
import { type ProgramResult, temporaryFolder } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runCli } from '../testing/cli-process.ts'

const folder = temporaryFolder('check-invalid')
after(() => folder[Symbol.asyncDispose]())

function check(config: Readonly<Record<string, unknown>>, ...args: readonly string[]): Promise<ProgramResult> {
  const file = join(folder.path, 'connector.json')
  writeFileSync(file, JSON.stringify({ name: 'checked', config }))
  return runCli(['check', file, ...args])
}

test('the report on an invalid Avro connector has all findings; the schema registry is not asked', async () => {
  const config = {
    'connector.class': 'io.debezium.connector.mysql.MySqlConnector',
    'database.hostname': 'none.invalid',
    'database.user': 'u',
    'database.server.id': '5',
    'value.converter': 'avro',
    'value.converter.schema.registry.url': 'http://127.0.0.1:1',
    'tabel.include.list': 'a.b',
  }
  const { code, stdout, stderr } = await check(config)
  assert.equal(stderr, '')
  assert.equal(code, 1)
  assert.match(stdout, /✖ topic\.prefix\n {4}.*A value is required/)
  assert.match(stdout, /⚠ tabel\.include\.list\n/)
})

test('the report names the brokers of the schema history topic, which are not checked', async () => {
  const config = {
    'connector.class': 'MySql',
    'schema.history.internal.kafka.topic': 'history.shop',
    'schema.history.internal.kafka.bootstrap.servers': 'kafka-1:9092',
  }
  const { stdout } = await check(config)
  const sentence =
    'The Kafka brokers of the schema history topic history.shop (kafka-1:9092): the task connects to them when it starts.'
  assert.ok(stdout.includes(`\nNot checked: ${sentence}\n`), stdout)
  const { notChecked } = JSON.parse((await check(config, '--json')).stdout) as { readonly notChecked: unknown }
  assert.deepEqual(notChecked, [sentence])
})

test('a document without a known class, or with a value of another type, is invalid (exit code 2)', async () => {
  const table: readonly (readonly [config: Readonly<Record<string, unknown>>, message: RegExp])[] = [
    [
      {},
      /it has no connector\.class\. Set connector\.class to one of: io\.debezium\.connector\.mysql\.MySqlConnector, io/,
    ],
    [
      { 'connector.class': 'Acme' },
      /connector\.class is Acme, which check does not know\. Set connector\.class to one of: /,
    ],
    [{ 'connector.class': 'MySql', x: {} }, /the value of x is not a string, number or boolean/],
  ]
  for (const [config, message] of table) {
    const { code, stdout, stderr } = await check(config)
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, message)
  }
})
