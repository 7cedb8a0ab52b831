import type { LossForecast, OffsetDocument } from '@tributary/connect-api'
import { present, systemClock } from '@tributary/support'
import { eventually, startMariaDb, startMySql, type DatabaseServer } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ProbedServer } from '../testing/probed-server.ts'

// The predicted and the actual moment of the purge, on servers that write all the time and purge by themselves when a
// file is full. Each line of the output is one run.

const RUNS = 5
const KEPT_SECONDS = 20
const FILE_BYTES = 300_000
/** An insert of 10 kB each 100 ms: a file each three seconds. */
const ROW_BYTES = 10_000
const PAUSE_MS = 100

const ARGS = [`--binlog-expire-logs-seconds=${KEPT_SECONDS}`, `--max-binlog-size=${FILE_BYTES}`]
const SERVERS: readonly (readonly [name: string, start: () => Promise<DatabaseServer>])[] = [
  ['MySQL', () => startMySql({ args: ARGS })],
  ['MariaDB', () => startMariaDb({ args: ARGS })],
]

for (const [name, start] of SERVERS) {
  test(`${name}: ${RUNS} positions, each purged when predicted`, async (t) => {
    await using server = await start()
    const subject = await ProbedServer.of(server)
    const stop = new AbortController()
    const writing = write(subject, stop.signal)
    try {
      const runs: Promise<Run>[] = []
      for (let run = 0; run < RUNS; run++) {
        // Positions in different files, and at different places of them.
        await sleep(4300)
        runs.push(observe(subject, await subject.offset()))
      }
      for (const run of await Promise.all(runs)) {
        const { closed, goneMs } = run
        const [earliestMs, expectedMs] = [
          present(closed.earliestMs, 'earliest'),
          present(closed.expectedMs, 'expected'),
        ]
        const text = `purged ${goneMs - earliestMs} ms after the earliest and ${goneMs - expectedMs} ms after the expected moment`
        t.diagnostic(`${name}: ${closed.neededFile}, predicted ${run.aheadSeconds} s ahead: ${text}`)
        assert.ok(goneMs >= earliestMs - 100, `${text}: too early`)
        assert.ok(Math.abs(goneMs - expectedMs) <= run.fileMs, `${text}: more than a file of ${run.fileMs} ms`)
      }
    } finally {
      stop.abort()
      await writing
    }
  })
}

interface Run {
  /** Measured when the server had just begun the file after the needed one, and the growth was known. */
  readonly closed: LossForecast
  readonly aheadSeconds: number
  /** How long the server needs for a file, as measured. */
  readonly fileMs: number
  /** When the server had purged the file, by the list of its files. */
  readonly goneMs: number
}

async function observe(subject: ProbedServer, offset: OffsetDocument): Promise<Run> {
  const probe = subject.probe()
  const measure = (): Promise<LossForecast> => probe.measure(() => offset, AbortSignal.timeout(30_000))
  const closed = await eventually(
    'the needed file is full',
    async () => {
      const found = await measure()
      return found.isRunningOut && found.growthBytesPerSecond !== null && found.expectedMs !== null && found
    },
    { timeoutMs: 60_000, everyMs: 500 },
  )
  const measuredMs = systemClock.now()
  const goneMs = await eventually(
    'the server has purged it',
    async () => {
      const files = await subject.server.query('SHOW BINARY LOGS')
      return files.some((row) => row['Log_name'] === closed.neededFile) ? undefined : systemClock.now()
    },
    { timeoutMs: 120_000, everyMs: 100 },
  )
  const fileMs = (FILE_BYTES * 1000) / Math.max(1, closed.growthBytesPerSecond ?? 0)
  return { closed, goneMs, fileMs: Math.round(fileMs), aheadSeconds: Math.round((goneMs - measuredMs) / 1000) }
}

async function write(subject: ProbedServer, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await subject.insert(ROW_BYTES)
    await sleep(PAUSE_MS)
  }
}
