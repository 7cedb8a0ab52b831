import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { present } from './assert.ts'
import { SharedMemory } from './shared-memory.ts'

const create = (bytes: number): SharedMemory => present(SharedMemory.create(bytes), 'WebAssembly')

test('regions are aligned, do not overlap, and have 64 spare bytes after them', () => {
  const memory = create(2 ** 16)
  const sizes = [1, 16, 100, 5000]
  const regions = sizes.map((size) => memory.allocate(size))

  for (const [i, at] of regions.entries()) {
    assert.equal(at % 16, 0)
    assert.ok(at + (sizes[i] ?? 0) + 64 <= (regions[i + 1] ?? memory.bytes.length))
  }
})

test('a buffer lies in the memory at its byteOffset and is recognised', () => {
  const memory = create(2 ** 16)
  memory.allocate(1000)
  const buffer = present(memory.allocateBuffer(500), 'room')
  buffer.write('text')

  assert.equal(buffer.length, 500)
  assert.equal(memory.bytes.toString('latin1', buffer.byteOffset, buffer.byteOffset + 4), 'text')
  assert.ok(memory.contains(buffer))
  assert.ok(!memory.contains(Buffer.alloc(500)))
})

test('without room a buffer is null, and a region fails', () => {
  const memory = create(2 ** 16)
  memory.allocate(60_000)

  assert.equal(memory.allocateBuffer(6000), null)
  assert.throws(() => memory.allocate(6000), { message: /the shared memory has room for 6000 bytes/ })
  assert.equal(memory.allocate(5000), 60_064)
})

test('a buffer that was given back is given out again, and only for its size', () => {
  const memory = create(2 ** 16)
  const buffer = present(memory.allocateBuffer(40_000), 'room')
  assert.equal(memory.allocateBuffer(40_000), null)
  memory.freeBuffer(buffer)
  assert.equal(memory.allocateBuffer(39_000), null)
  assert.equal(memory.allocateBuffer(40_000), buffer)
  assert.equal(memory.allocateBuffer(40_000), null)
})

test('buffers leave the room that is reserved for modules', () => {
  const memory = present(SharedMemory.create(2 ** 17, 2 ** 16), 'WebAssembly')
  while (memory.allocateBuffer(10_000) !== null);
  assert.equal(memory.allocate(60_000) % 16, 0)
})

test('a thread has one memory', () => {
  assert.equal(SharedMemory.ofThread(), SharedMemory.ofThread())
})

test('without WebAssembly there is no shared memory', () => {
  const url = new URL('./shared-memory.ts', import.meta.url).href
  // Node strips types by WebAssembly as well: the first import loads that before WebAssembly is deleted.
  const program = `
    await import('${new URL('./assert.ts', import.meta.url).href}')
    delete globalThis.WebAssembly
    const { SharedMemory } = await import('${url}')
    console.log(SharedMemory.ofThread())`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  assert.equal(stdout.trim(), 'null')
})
