import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from './run-program.ts'

test('programs use UTF-8, whatever the locale of this process is', async (context) => {
  const { LC_ALL } = process.env
  context.after(() => {
    if (LC_ALL === undefined) delete process.env['LC_ALL']
    else process.env['LC_ALL'] = LC_ALL
  })
  process.env['LC_ALL'] = 'C'
  const { stdout } = await runProgram('locale', ['charmap'])
  assert.equal(stdout.trim(), 'UTF-8')
})

test('the caller can set another locale', async () => {
  const { stdout } = await runProgram('locale', ['charmap'], { env: { LC_ALL: 'C' } })
  assert.equal(stdout.trim(), 'ANSI_X3.4-1968')
})
