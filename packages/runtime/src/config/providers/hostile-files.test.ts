import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@tributary/testkit'
import { ConfigProviders } from './config-providers.ts'

const PACKAGE = 'org.apache.kafka.common.config.provider'
const WORKER = {
  'config.providers': 'file,dir',
  'config.providers.file.class': `${PACKAGE}.FileConfigProvider`,
  'config.providers.dir.class': `${PACKAGE}.DirectoryConfigProvider`,
}

/** Why a reference has no value. */
function refusalOf(reference: string): string {
  const { errors } = ConfigProviders.of(WORKER).resolve({ 'database.password': reference })
  return errors.get('database.password')?.message ?? assert.fail(`${reference} has a value`)
}

test('files that would never end or never answer are refused at once, with their reason', async () => {
  await using folder = temporaryFolder('hostile')
  const at = (name: string): string => join(folder.path, name)
  execFileSync('mkfifo', [at('pipe')])
  // Sparse: ten gigabytes that take no space.
  const large = openSync(at('large'), 'w')
  ftruncateSync(large, 10 * 2 ** 30)
  closeSync(large)
  symlinkSync(at('circle'), at('circle'))
  symlinkSync('/dev/zero', at('zero'))
  mkdirSync(at('folder'))
  const table: readonly (readonly [name: string, reason: string])[] = [
    ['pipe', `${at('pipe')} is not a file. `],
    ['zero', `${at('zero')} is not a file. `],
    ['folder', `${at('folder')} is not a file. `],
    ['large', `the file ${at('large')} has more than 1048576 bytes. `],
    ['circle', `the file ${at('circle')} cannot be read: its symbolic links form a circle. `],
  ]
  for (const [name, reason] of table) {
    for (const reference of [`\${file:${at(name)}:key}`, `\${dir:${folder.path}:${name}}`]) {
      const message = refusalOf(reference)
      assert.ok(message.startsWith(`database.password refers to ${reference}, which has no value: ${reason}`), message)
    }
  }
  assert.match(refusalOf(`\${dir:${at('circle')}:x}`), /the path .*circle is not a directory/)
})

test('a file of the system whose size is reported as 0 is read up to its end', () => {
  const { config } = ConfigProviders.of(WORKER).resolve({ release: '${dir:/proc/sys/kernel:ostype}' })
  assert.equal(config['release'], 'Linux\n')
})

test('a directory with many files costs no more than the file that is read', async () => {
  await using folder = temporaryFolder('hostile')
  for (let n = 0; n < 20_000; n += 1) writeFileSync(join(folder.path, String(n)), '')
  writeFileSync(join(folder.path, 'password'), 'secret')
  const before = process.memoryUsage().heapUsed
  const { config } = ConfigProviders.of(WORKER).resolve({ password: `\${dir:${folder.path}:password}` })
  assert.equal(config['password'], 'secret')
  assert.ok(process.memoryUsage().heapUsed - before < 4 << 20)
})
