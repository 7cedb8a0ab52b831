import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteWriter, type ByteRun } from '@tributary/support'
import { sharedRun } from './shared-run.ts'

function textOf(run: ByteRun): string {
  const out = new ByteWriter(16)
  out.run(run)
  return out.copy().toString()
}

test('places with the same text have one run, others their own', () => {
  assert.equal(sharedRun(',"id":'), sharedRun([',"', 'id":'].join('')))
  assert.equal(textOf(sharedRun(',"id":')), ',"id":')
  assert.equal(textOf(sharedRun(',"größe":')), ',"größe":')
})

test('more texts than are kept are right all the same, and so are long ones', () => {
  const first = sharedRun(',"c0":')
  for (let i = 0; i < 25_000; i++) assert.equal(sharedRun(`,"c${i}":`).length, `,"c${i}":`.length)

  assert.equal(textOf(first), ',"c0":')
  assert.equal(textOf(sharedRun(',"c0":')), ',"c0":')
  assert.notEqual(sharedRun(',"c0":'), first, 'those that came first were given up')
  assert.equal(textOf(sharedRun('x'.repeat(5_000))), 'x'.repeat(5_000))
  assert.notEqual(sharedRun('x'.repeat(5_000)), sharedRun('x'.repeat(5_000)))
})
