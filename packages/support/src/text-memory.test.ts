import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { present } from './assert.ts'
import { SCRATCH_AT, SCRATCH_BYTES, takeTextBuffer, textMemory } from './text-memory.ts'

test('one writer of a thread has the text buffer, which lies behind the scratch and leaves room behind itself', () => {
  const { bytes, textBuffer } = present(textMemory(), 'WebAssembly')
  assert.equal(takeTextBuffer(), textBuffer)
  assert.equal(takeTextBuffer(), null)
  assert.equal(textBuffer.buffer, bytes.buffer)
  assert.ok(textBuffer.byteOffset >= SCRATCH_AT + SCRATCH_BYTES)
  assert.ok(textBuffer.byteOffset + textBuffer.length + 32 <= bytes.length)
})

test('without WebAssembly there is no such memory', () => {
  const url = new URL('./text-memory.ts', import.meta.url).href
  // Node's own removal of types is WebAssembly, too: it is done once before.
  const program = `
    await import('${new URL('./assert.ts', import.meta.url).href}')
    delete globalThis.WebAssembly
    const { takeTextBuffer, textMemory } = await import('${url}')
    console.log(textMemory(), takeTextBuffer())`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  assert.equal(stdout.trim(), 'null null')
})
