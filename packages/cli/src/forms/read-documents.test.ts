import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { temporaryFolder } from '@tributary/testkit'
import type { ConnectorDocument } from './connector-document.ts'
import { FILE_BYTES_MAX } from './limits.ts'
import { type ReadOptions, readConnectorDocuments } from './read-documents.ts'

const folder = temporaryFolder('document')
after(() => folder[Symbol.asyncDispose]())

function file(content: string | Buffer, name = 'connector.json'): string {
  const path = join(folder.path, name)
  writeFileSync(path, content)
  return path
}

function read(
  content: string | Buffer,
  name?: string,
  options: Partial<ReadOptions> = {},
): Promise<readonly ConnectorDocument[]> {
  return readConnectorDocuments(file(content, name), { environment: {}, ...options })
}

test('a JSON document has one of two forms, and its name in one of three places', async () => {
  const config = { 'tasks.max': 1, x: 'y', on: true }
  const texts = { 'tasks.max': '1', x: 'y', on: 'true' }
  const wrapped = { name: 'shop', config: texts, initialState: undefined, form: 'json', isOnlyForNew: false, notes: [] }
  assert.deepEqual(await read(JSON.stringify({ name: 'shop', config })), [wrapped])
  assert.deepEqual(await read(JSON.stringify({ config }), undefined, { name: 'shop' }), [wrapped])
  assert.deepEqual(await read(JSON.stringify(config), undefined, { name: 'shop' }), [wrapped])
  assert.deepEqual(await read(JSON.stringify(config), undefined, { fallbackName: 'shop' }), [wrapped])
  const named = { ...config, name: 'shop' }
  assert.deepEqual(await read(`\uFEFF${JSON.stringify(named)}`), [{ ...wrapped, config: { ...texts, name: 'shop' } }])
  const stopped = { name: 'shop', config, initial_state: 'STOPPED' }
  assert.deepEqual(await read(JSON.stringify(stopped)), [{ ...wrapped, initialState: 'STOPPED' }])
})

test('a number of a JSON document keeps its digits', async () => {
  const [document] = await read('{"name":"a","big":12345678901234567890,"fraction":1.50,"small":1e-7}')
  assert.deepEqual(document?.config, { name: 'a', big: '12345678901234567890', fraction: '1.50', small: '1e-7' })
})

test('a properties file is UTF-8, or ISO-8859-1 if it is not UTF-8', async () => {
  const text = '# comment\nname = shop\ndatabase.include.list = caf\u00E9\\\n  ,b\nx\\:y: \\u00e4'
  const config = { name: 'shop', 'database.include.list': 'caf\u00E9,b', 'x:y': '\u00E4' }
  for (const encoding of ['utf8', 'latin1'] as const) {
    const [document] = await read(Buffer.from(text, encoding), 'a.properties')
    assert.deepEqual([document?.name, document?.config], ['shop', config])
  }
})

const forms: readonly (readonly [form: string, text: string])[] = [
  ['json', ' \n {"name": "a"}'],
  ['properties', '# a comment\n! another\nname=a\n'],
  ['yaml', '# a comment\nname: a\n'],
  ['yaml', '--- # first\nname: a'],
  ['ksqldb', "-- a comment\n/* another */ create source connector `a` WITH ('x' = 1);"],
  [
    'terraform',
    '# one\n// two\n/* three */\nresource "confluent_connector" "a" { config_nonsensitive = { name = "a" } }',
  ],
]

test('the form of a file without an ending is that of its first words', async () => {
  for (const [form, text] of forms) {
    const [document] = await read(text, 'connector')
    assert.deepEqual([document?.form, document?.name], [form, 'a'], text)
  }
})

type Fault = readonly [file: string, content: string | Buffer, name: string | undefined, reason: RegExp]

const faults: readonly Fault[] = [
  ['a.json', '', 'a', /it is empty/],
  ['a.json', '{"x": "1",\n  config: {"p": "hunter2"}}', 'a', /it is not JSON \(line 2, column 3\)/],
  ['a.json', '[1]', 'a', /it is JSON, but not an object/],
  ['a.json', '{"tasks.max": "1"}', undefined, /it has no name/],
  ['a.json', '{"name": "shop", "config": {}}', 'other', /it is named shop, not other/],
  ['a.json', '{"x": null}', 'a', /the value of x is null/],
  ['a.json', '{"x": ["hunter2"]}', 'a', /the value of x is not a string, number or boolean/],
  ['a.json', Buffer.from([0x7b, 0xff, 0x7d]), 'a', /it is not UTF-8/],
  ['a.json', `{"x": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'a', /more than 50 levels \(line 1, column 56\)/],
  ['a.json', `{"\\"[[": "${'"'.repeat(3)}`, 'a', /it is not JSON/],
  // A search for the end of the text that began again at each quote would take minutes.
  ['a.json', `{"x": "${'\\"'.repeat(500_000)}\\`, 'a', /it is not JSON/],
  ['a.yaml', 'x: ' + '['.repeat(1_000_000), 'a', /more than 50 levels \(line 1/],
  ['a.yaml', '- '.repeat(500_000), 'a', /more than 50 levels \(line 1/],
  ['a.json', ' '.repeat(FILE_BYTES_MAX + 1), 'a', /it has more than 1048576 bytes/],
  [
    'a.properties',
    'a=b\n# \\u\nc=\\\\u \\uXYZ hunter2',
    'a',
    /not followed by four hexadecimal digits \(line 3, column 7\)/,
  ],
]

test('an error names the fault and its place, and does not quote the file', async () => {
  for (const [name, content, connector, reason] of faults) {
    await assert.rejects(read(content, name, { name: connector }), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'CONNECTOR_DOCUMENT')
      assert.match(error.message, reason)
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    })
  }
})
