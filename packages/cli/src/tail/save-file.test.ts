import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fakeClock, temporaryFolder } from '@tributary/testkit'
import { SaveFile } from './save-file.ts'

test('a write that fails between two changes is reported at once', async () => {
  await using folder = temporaryFolder('save-file')
  const clock = fakeClock()
  const path = join(folder.path, 'gone', 'position')
  mkdirSync(join(folder.path, 'gone'))
  let failures = 0
  const file = new SaveFile(path, 'here', { clock, onFailure: () => (failures += 1) })
  file.advance({ toDocument: () => ({ pos: 4 }) })
  rmSync(join(folder.path, 'gone'), { recursive: true })
  await clock.advance(1_000)
  assert.equal(failures, 1)
  assert.throws(() => file.close(), /of --save cannot be written: ENOENT/)
})
