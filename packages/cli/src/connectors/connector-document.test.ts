import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { temporaryFolder } from '@tributary/testkit'
import { readConnectorDocument } from './connector-document.ts'

const folder = temporaryFolder('document')
after(() => folder[Symbol.asyncDispose]())

function file(text: string): string {
  const path = join(folder.path, 'connector.json')
  writeFileSync(path, text)
  return path
}

test('a document has one of two forms, and its name in one of three places', async () => {
  const config = { 'tasks.max': 1, x: 'y' }
  const wrapped = { name: 'shop', config, initialState: undefined }
  assert.deepEqual(await readConnectorDocument(file(JSON.stringify({ name: 'shop', config })), {}), wrapped)
  assert.deepEqual(await readConnectorDocument(file(JSON.stringify({ config })), { name: 'shop' }), wrapped)
  assert.deepEqual(await readConnectorDocument(file(JSON.stringify(config)), { name: 'shop' }), wrapped)
  assert.deepEqual(await readConnectorDocument(file(JSON.stringify(config)), { fallbackName: 'shop' }), wrapped)
  const named = { ...config, name: 'shop' }
  assert.deepEqual(await readConnectorDocument(file(`\uFEFF${JSON.stringify(named)}`), {}), {
    ...wrapped,
    config: named,
  })
  const stopped = { name: 'shop', config, initial_state: 'STOPPED' }
  assert.deepEqual(await readConnectorDocument(file(JSON.stringify(stopped)), {}), {
    ...wrapped,
    initialState: 'STOPPED',
  })
})

const faults: readonly (readonly [text: string, name: string | undefined, reason: RegExp])[] = [
  ['', 'a', /it is empty/],
  ['{"name": "shop",\n  config: {"database.password": "hunter2"}}', 'a', /it is not JSON \(line 2, column 3\)/],
  ['[1]', 'a', /it is JSON, but not an object/],
  ['{"tasks.max": "1"}', undefined, /it has no name/],
  ['{"name": "shop", "config": {}}', 'other', /it is named shop, not other/],
]

test('an error names the fault and its place, and does not quote the file', async () => {
  for (const [text, name, reason] of faults) {
    await assert.rejects(readConnectorDocument(file(text), { name }), (error: Error & { code?: string }) => {
      assert.equal(error.code, 'CONNECTOR_DOCUMENT')
      assert.match(error.message, reason)
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    })
  }
})
