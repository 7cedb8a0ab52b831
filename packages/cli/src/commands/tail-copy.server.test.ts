/** `tributary tail --save` during the copy of a snapshot without a lock. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryFolder, uniqueName, useMySql } from '@tributary/testkit'
import { CliProcess, runCli } from '../testing/cli-process.ts'

/** Runs the command until so many rows are printed, and returns the `after.id` of all. */
async function rowsOf(args: readonly string[], count: number): Promise<readonly number[]> {
  await using command = new CliProcess(['tail', ...args], {})
  const lines = (): readonly string[] => command.stdout.split('\n').slice(0, -1)
  const isEnough = (): boolean => {
    assert.ok(command.child.exitCode === null, command.stderr)
    return lines().length >= count
  }
  await eventually('the rows are printed', isEnough, { timeoutMs: 60_000 })
  command.child.kill('SIGINT')
  const { code, stderr } = await command.end()
  assert.equal(code, 0, stderr)
  return lines().map((line) => (JSON.parse(line) as { readonly after: { readonly id: number } }).after.id)
}

test('an interrupted copy is not taken for a complete one: it is refused, or begins again with --snapshot', async () => {
  const database = await useMySql()
  await using folder = temporaryFolder('tail-copy')
  const name = uniqueName('tail')
  const file = join(folder.path, 'position.json')
  const all = Array.from({ length: 4_000 }, (_, i) => i + 1)
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY);
    INSERT INTO ${name}.t VALUES ${all.map((id) => `(${id})`).join()}`)
  const url = `mysql://root:@${database.host}:${database.port}/${name}.t`
  const args = [url, '--format', 'json', '--save', file]
  const slow = ['--set', 'snapshot.locking.mode=none', '--set', 'incremental.snapshot.chunk.size=1']
  const first = await rowsOf([...args, '--snapshot', ...slow], 10)
  assert.ok(first.length < all.length)
  assert.match(readFileSync(file, 'utf8'), /initial_snapshot_copy/)
  const refused = await runCli(['tail', ...args])
  assert.notEqual(refused.code, 0)
  assert.match(refused.stderr, /snapshot that did not complete/)
  assert.deepEqual(await rowsOf([...args, '--snapshot'], all.length), all)
})
