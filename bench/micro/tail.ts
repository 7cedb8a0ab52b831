/**
 * Measures `tributary tail`: events per second from a binlog that is there, into a pipe and into a file, in each format,
 * and the peak of its memory. Transactions insert ten rows each.
 *
 *     npm run exec -- bench/micro/tail.ts [rows, default 500000] [mysql|mariadb]
 *
 * A run lasts from the start of the process to the last event; the cases take turns, three runs each.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { systemClock } from '@tributary/support'
import { type Database, startMariaDb, startMySql, temporaryFolder } from '@tributary/testkit'
import { packWorkspace } from '../systems/artefact.ts'

const rows = Number(process.argv[2] ?? 500_000)
const start = process.argv[3] === 'mariadb' ? startMariaDb : startMySql
const ROUNDS = 3
const ROWS_PER_TRANSACTION = 10
const TRANSACTIONS_PER_REQUEST = 500
const FORMATS = ['json', 'pretty', 'sql'] as const
const LAST = 'the last row'

await using release = await packWorkspace()
await using database = await start({ profile: 'bench' })
await using folder = temporaryFolder('tail')
await database.query(
  'CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, amount INT, note VARCHAR(20))',
)
const since = await positionOf(database)
await insertRows(database)

for (let round = 0; round < ROUNDS; round++) {
  for (const format of FORMATS) for (const to of ['pipe', 'file'] as const) console.log(await measure(format, to))
}

async function measure(format: string, to: 'pipe' | 'file'): Promise<string> {
  const path = join(folder.path, 'output')
  const file = openSync(path, 'w')
  const startMs = systemClock.monotonicMs()
  const url = `mysql://root:@${database.host}:${database.port}/shop`
  const child = spawn(process.execPath, [release.entry, 'tail', url, '--since', since, '--format', format], {
    stdio: ['ignore', to === 'pipe' ? 'pipe' : file, 'ignore'],
  })
  closeSync(file)
  const bytes = await (child.stdout === null ? untilInFile(path) : untilInPipe(child.stdout))
  const seconds = (systemClock.monotonicMs() - startMs) / 1000
  const peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
  child.kill('SIGINT')
  await new Promise((resolve) => child.once('close', resolve))
  const rate = Math.round(rows / seconds).toLocaleString('en')
  const written = (bytes / 2 ** 20).toFixed(0)
  return `${format} into a ${to}: ${rate} events/s, ${written} MiB; peak ${peak.toFixed(0)} MiB`
}

async function untilInPipe(stdout: Readable): Promise<number> {
  let bytes = 0
  let end = ''
  for await (const chunk of stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    end = end.slice(-LAST.length) + chunk.toString('latin1')
    if (end.includes(LAST)) {
      stdout.resume()
      return bytes
    }
  }
  throw new Error('tail ended before the last row')
}

async function untilInFile(path: string): Promise<number> {
  await using file = await open(path)
  const tail = Buffer.alloc(4096)
  for (;;) {
    const { size } = await file.stat()
    const from = Math.max(0, size - tail.length)
    const { bytesRead } = await file.read(tail, 0, tail.length, from)
    if (tail.toString('latin1', 0, bytesRead).includes(LAST)) return size
    await setTimeout(20)
  }
}

async function insertRows(on: Database): Promise<void> {
  let id = 0
  const transaction = (): string => {
    const values = Array.from({ length: ROWS_PER_TRANSACTION }, () => {
      id += 1
      return `(${id},${id % 997},'${id === rows ? LAST : `note ${id % 100}`}')`
    })
    return `INSERT INTO shop.orders VALUES ${values.join()};`
  }
  while (id < rows) {
    let text = ''
    for (let i = 0; i < TRANSACTIONS_PER_REQUEST && id < rows; i++) text += transaction()
    await on.query(text)
  }
}

async function positionOf(on: Database): Promise<string> {
  const statement = on.flavor === 'mariadb' ? 'SHOW MASTER STATUS' : 'SHOW BINARY LOG STATUS'
  const now = async (): Promise<number> => Number((await on.query('SELECT UNIX_TIMESTAMP() AS now'))[0]?.['now'])
  const created = await now()
  // The definitions at a position are certain from the second after the last statement on.
  while ((await now()) <= created) await setTimeout(100)
  const [row] = await on.query(statement)
  return `${String(row?.['File'])}:${String(row?.['Position'])}`
}
