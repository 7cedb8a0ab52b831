import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readStoreFile } from './read-store-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'tributary-store-'))
after(() => rmSync(folder, { recursive: true }))

test('a file of keys is read whole', () => {
  const path = join(folder, 'keys')
  writeFileSync(path, 'abc')
  assert.equal(readStoreFile(path).toString(), 'abc')
})

test('a pipe, a device, a directory, a huge file and a missing one are refused at once', () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const huge = join(folder, 'huge')
  writeFileSync(huge, '')
  truncateSync(huge, (16 << 20) + 1)
  const refused: readonly (readonly [path: string, reason: RegExp])[] = [
    [pipe, /not a regular file/],
    ['/dev/zero', /not a regular file/],
    [folder, /it is a directory/],
    [huge, /larger than 16 MiB/],
    [join(folder, 'none'), /ENOENT/],
  ]
  for (const [path, reason] of refused) assert.throws(() => readStoreFile(path), reason)
})
