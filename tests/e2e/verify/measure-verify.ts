/**
 * Measures a comparison while three hundred transactions per second change the table: how long it takes, how much
 * processor time of the database server it needs, and how much memory of the worker.
 *
 *     npm run --silent exec -- tests/e2e/verify/measure-verify.ts mysql 2000000
 */
import { readFileSync } from 'node:fs'
import type { Verification } from '@tributary/rest-api'
import { type Database, eventually, startKafka, startMariaDb, startMySql, startService } from '@tributary/testkit'
import { capture } from './verify-bed.ts'
import { createOrders, startWriters } from './writers.ts'

const [flavor = 'mysql', count = '2000000'] = process.argv.slice(2)
const rows = Number(count)
const TICKS_PER_SECOND = 100
const BASELINE_MS = 10_000

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** User and system time of a process in seconds (proc(5), fields 14 and 15). */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

function residentMb(pid: number): number {
  const found = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(found?.[1] ?? 0) / 1024)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

await using kafka = await startKafka()
await using database = await (flavor === 'mysql' ? startMySql() : startMariaDb())
const { bootstrapServers } = kafka
const name = 'measured'
await createOrders(database, name, rows)
const pid = await serverPid(database)
await using service = await startService({ bootstrapServers, env: { OFFSET_FLUSH_INTERVAL_MS: '60000' } })
const bed = { database, bootstrapServers, service, name }
await capture(bed, {
  'value.converter.schemas.enable': 'false',
  'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
})
await service.waitForLog(/SnapshotResult \[status=COMPLETED/, 0, 180_000)
await using writers = await startWriters(database, name, 300)
await pause(2_000)
const [baseCpu, baseCount, baseMb] = [cpuSeconds(pid), writers.count, residentMb(service.pid)]
await pause(BASELINE_MS)
const baseLoad = (cpuSeconds(pid) - baseCpu) / (BASELINE_MS / 1000)
print(
  `${flavor}: ${(writers.count - baseCount) / (BASELINE_MS / 1000)} transactions/s, server ${baseLoad.toFixed(2)} cores, worker ${baseMb} MB`,
)

const [startMs, startCpu, startCount] = [Date.now(), cpuSeconds(pid), writers.count]
const path = `/connectors/${name}/verifications`
const { id } = (await service.rest('POST', path, {})).json as Verification
let peakMb = 0
let shown = ''
const run = await eventually(
  'the comparison ends',
  async () => {
    peakMb = Math.max(peakMb, residentMb(service.pid))
    const { json } = await service.rest('GET', `${path}/${id}`)
    const note = (json as Verification).tables[0]?.note ?? ''
    if (note !== shown) print(`  ${((Date.now() - startMs) / 1000).toFixed(1)} s: ${note}`)
    shown = note
    return (json as Verification).state !== 'RUNNING' && (json as Verification)
  },
  { timeoutMs: 600_000, everyMs: 200 },
)
const seconds = (Date.now() - startMs) / 1000
const extra = cpuSeconds(pid) - startCpu - baseLoad * seconds
const [table] = run.tables
print(
  `${flavor}: ${seconds.toFixed(1)} s, ${run.state} ${table?.state} ${run.error ?? ''} rows ${table?.rows_read}, equal ${table?.rows_equal}, records ${table?.records_read}`,
)
print(
  `${flavor}: ${((writers.count - startCount) / seconds).toFixed(0)} transactions/s meanwhile, server ${extra.toFixed(1)} s of processor time more, worker at most ${peakMb} MB (${baseMb} MB before)`,
)

async function serverPid(server: Database): Promise<number> {
  const [row] = await server.query('SELECT @@global.pid_file AS file, @@global.datadir AS folder')
  const file = String(row?.['file'])
  return Number(readFileSync(file.startsWith('/') ? file : `${String(row?.['folder'])}${file}`, 'utf8').trim())
}
