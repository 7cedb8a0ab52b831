import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteWriter, type ByteRun } from '@tributary/support'
import { internedRun } from './interned-run.ts'

function textOf(run: ByteRun): string {
  const out = new ByteWriter(16)
  out.run(run)
  return out.copy().toString()
}

test('equal texts share a run, different texts do not', () => {
  assert.equal(internedRun(',"id":'), internedRun([',"', 'id":'].join('')))
  assert.equal(textOf(internedRun(',"id":')), ',"id":')
  assert.equal(textOf(internedRun(',"größe":')), ',"größe":')
})

test('runs stay correct when more texts are asked for than are kept, and for texts that are never shared', () => {
  const first = internedRun(',"c0":')
  for (let i = 0; i < 25_000; i++) assert.equal(internedRun(`,"c${i}":`).length, `,"c${i}":`.length)

  assert.equal(textOf(first), ',"c0":')
  assert.equal(textOf(internedRun(',"c0":')), ',"c0":')
  assert.notEqual(internedRun(',"c0":'), first, 'the earliest texts were evicted')
  assert.equal(textOf(internedRun('x'.repeat(5_000))), 'x'.repeat(5_000))
  assert.notEqual(internedRun('x'.repeat(5_000)), internedRun('x'.repeat(5_000)))
})
