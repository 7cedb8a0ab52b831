import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger, systemClock } from '@tributary/support'
import { captureLogger, temporaryFolder } from '@tributary/testkit'
import { appendFile, readFile, rename, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SignalFile } from './signal-file.ts'

function line(id: string): string {
  return `{"id":"${id}","type":"log"}\n`
}

/** Writes the file, at a time that differs from all before: a file system may have few digits of it. */
async function overwrite(path: string, text: string, second: number): Promise<void> {
  await writeFile(path, text)
  await utimes(path, second, second)
}

test('a file that is overwritten or replaced is read from its start', async () => {
  await using folder = temporaryFolder()
  const path = join(folder.path, 'signals')
  const file = new SignalFile({ path, intervalMs: 0, clock: systemClock, logger: silentLogger })
  const ids = async (): Promise<readonly string[]> => (await file.take()).map(({ id }) => id)
  assert.deepEqual(await ids(), [])
  await overwrite(path, line('a') + line('b'), 1)
  assert.deepEqual(await ids(), ['a', 'b'])
  assert.deepEqual(await ids(), [])
  await appendFile(path, line('c'))
  assert.deepEqual(await ids(), ['c'])
  await overwrite(path, line('x') + line('y') + line('z'), 2)
  assert.deepEqual(await ids(), ['x', 'y', 'z'], 'of the same size')
  await overwrite(path, line('longer than before') + line('y') + line('z'), 3)
  assert.deepEqual(await ids(), ['longer than before', 'y', 'z'], 'longer')
  await overwrite(path, line('longer than before') + line('y') + line('z'), 4)
  assert.deepEqual(await ids(), ['longer than before', 'y', 'z'], 'with the same signals again')
  await writeFile(`${path}.new`, line('longer than before') + line('y') + line('z') + line('new'))
  await rename(`${path}.new`, path)
  assert.deepEqual(await ids(), ['longer than before', 'y', 'z', 'new'], 'replaced')
  await overwrite(path, '', 5)
  assert.deepEqual(await ids(), [])
})

test('the file is emptied unless it has other signals than those that were read', async () => {
  await using folder = temporaryFolder()
  const path = join(folder.path, 'signals')
  const file = new SignalFile({ path, intervalMs: 0, clock: systemClock, logger: silentLogger })
  await overwrite(path, line('a'), 1)
  await file.take()
  await overwrite(path, line('b'), 2)
  await file.stored()
  assert.equal(await readFile(path, 'utf8'), line('b'))
  assert.equal((await file.take()).length, 1)
  await file.stored()
  assert.equal(await readFile(path, 'utf8'), '')
})

test('a line without its end is read when it is a signal, or when nothing follows', async () => {
  await using folder = temporaryFolder()
  const path = join(folder.path, 'signals')
  const logger = captureLogger()
  const file = new SignalFile({ path, intervalMs: 0, clock: systemClock, logger })
  await overwrite(path, line('a').slice(0, 8), 1)
  assert.equal((await file.take()).length, 0)
  await overwrite(path, line('a').trim(), 2)
  assert.equal((await file.take()).length, 1)
  await overwrite(path, 'nonsense', 3)
  await file.take()
  await file.take()
  assert.equal(logger.matching(/A line of the signal file .* is not a JSON object/).length, 1)
  assert.equal(logger.lines.length, 1)
})
