import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { assembled, WAT_FILES } from '../scripts/wasm/assemble.ts'

test('the WebAssembly that the program loads matches its text form', async () => {
  assert.ok(WAT_FILES.length > 0)
  for (const file of WAT_FILES) {
    const { target, source } = await assembled(file)
    assert.equal(readFileSync(target, 'utf8'), source, `npm run exec -- scripts/wasm.ts writes ${target.pathname}`)
  }
})
