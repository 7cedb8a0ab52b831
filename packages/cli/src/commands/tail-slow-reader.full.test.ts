/** `tributary tail` with a reader that does not read. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Database, eventually, uniqueName, useMySql } from '@tributary/testkit'
import { systemClock } from '@tributary/support'
import { commandEnvironment, mainFile } from '../testing/cli-process.ts'

function urlOf({ host, port }: Database, name: string): string {
  return `mysql://root:@${host}:${port}/${name}`
}

/** A place where a reader can start, and knows all tables: those of the same second are not certain. */
async function startOf(database: Database): Promise<string> {
  const now = async (): Promise<number> => Number((await database.query('SELECT UNIX_TIMESTAMP() AS now'))[0]?.['now'])
  const before = await now()
  await eventually('the next second', async () => (await now()) > before)
  const [row] = await database.query('SHOW BINARY LOG STATUS')
  return `${String(row?.['File'])}:${String(row?.['Position'])}`
}

test('a reader that stops reading stops the binlog: memory does not grow, and nothing is lost', async () => {
  const database = await useMySql()
  const name = uniqueName('tail')
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY, b LONGTEXT)`)
  const there = await startOf(database)
  for (let id = 0; id < ROWS; id++)
    await database.query(`INSERT INTO ${name}.t VALUES (${id}, REPEAT('x', ${ROW_BYTES}))`)
  const child = spawn(process.execPath, [mainFile, 'tail', urlOf(database, name), '--since', there], {
    env: commandEnvironment({}),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Nobody reads until it has stopped to read: its memory does not change any more.
  const residentOf = (): number =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1])
  let last = { bytes: -1, since: systemClock.now() }
  const readBytes = (): number => Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))?.[1])
  await eventually(
    'it has written what the pipe takes',
    () => {
      const bytes = readBytes()
      if (bytes < 60_000) return false
      if (bytes !== last.bytes) last = { bytes, since: systemClock.now() }
      return systemClock.now() - last.since > 1_000
    },
    { timeoutMs: 60_000 },
  )
  assert.ok(residentOf() < 330_000, `${residentOf()} kB`)
  let lines = 0
  child.stdout.on('data', (bytes: Buffer) => {
    lines += bytes.reduce((sum, byte) => sum + Number(byte === 0x0a), 0)
  })
  await eventually('all rows are printed', () => lines === ROWS, { timeoutMs: 60_000 })
  child.kill('SIGINT')
  const code = await new Promise((resolve) => child.once('close', resolve))
  assert.equal(code, 0)
})

/** 240 MB; a process that has read little needs up to 250 MB. */
const ROWS = 240
const ROW_BYTES = 1_000_000

test('Ctrl-C ends it also while its reader does not read', async () => {
  const database = await useMySql()
  const name = uniqueName('tail')
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY, b LONGTEXT)`)
  const there = await startOf(database)
  for (let id = 0; id < 8; id++) await database.query(`INSERT INTO ${name}.t VALUES (${id}, REPEAT('x', ${ROW_BYTES}))`)
  const child = spawn(process.execPath, [mainFile, 'tail', urlOf(database, name), '--since', there], {
    env: commandEnvironment({}),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const written = (): number => Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))?.[1])
  await eventually('it has written what the pipe takes', () => written() >= 60_000, { timeoutMs: 60_000 })
  child.kill('SIGINT')
  const code = await new Promise((resolve) => child.once('exit', resolve))
  assert.equal(code, 0)
})
