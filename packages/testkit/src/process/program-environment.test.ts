import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from './run-program.ts'

test('programs take text for UTF-8 where this process has no locale, or another one', async (context) => {
  const { LC_ALL } = process.env
  context.after(() => {
    if (LC_ALL === undefined) delete process.env['LC_ALL']
    else process.env['LC_ALL'] = LC_ALL
  })
  process.env['LC_ALL'] = 'C'
  const { stdout } = await runProgram('locale', ['charmap'])
  assert.equal(stdout.trim(), 'UTF-8')
})

test('a program that asks for a locale of its own has it', async () => {
  const { stdout } = await runProgram('locale', ['charmap'], { env: { LC_ALL: 'C' } })
  assert.equal(stdout.trim(), 'ANSI_X3.4-1968')
})
