/**
 * Incremental snapshots, and initial ones without a lock, beside random writers, with kills, cut connections, altered
 * tables and small servers' limits.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, seededRandom, startMySql, useMariaDb, useMySql } from '@tributary/testkit'
import { type IncrementalRunOptions, runIncremental } from './testing/incremental-run.ts'

interface Server {
  readonly title: string
  readonly open: () => Promise<Database & Partial<AsyncDisposable>>
}

const servers: readonly Server[] = [
  { title: 'MySQL', open: useMySql },
  { title: 'MySQL without GTIDs', open: () => startMySql({ gtid: false }) },
  { title: 'MariaDB', open: useMariaDb },
]

const INITIAL = { type: 'initial', kills: 3, killsAt: [0.1, 0.5, 0.9] } as const

const settings: readonly (readonly [string, Omit<IncrementalRunOptions, 'random'>])[] = [
  ['kills', { rows: 400, kills: 12 }],
  ['kills and altered tables', { rows: 300, kills: 6, alters: true }],
  ['cut connections', { rows: 400, kills: 2, cuts: true }],
  ['blocking', { rows: 400, kills: 6, type: 'blocking', alters: true }],
  ['blocking, cut connections', { rows: 3_000, kills: 1, type: 'blocking', cuts: true }],
  ['marked windows', { rows: 200, kills: 4, marks: true }],
  ['initial without a lock, killed at 10, 50 and 90 %', { rows: 400, ...INITIAL, alters: true }],
  ['initial without a lock, cut connections', { rows: 400, kills: 2, type: 'initial', cuts: true }],
]

for (const { title, open } of servers) {
  for (const [what, options] of settings) {
    test(`${title}, ${what}: topics equal SELECT, whatever happens`, async (t) => {
      const database = await open()
      await using stack = new AsyncDisposableStack()
      stack.defer(async () => database[Symbol.asyncDispose]?.())
      const random = seededRandom()
      t.diagnostic(`seed ${random.seed}`)
      const figures = await runIncremental(database, { random, ...options })
      t.diagnostic(JSON.stringify(figures))
      assert.ok(figures.snapshotRows > 100 && figures.changes > 20)
    })
  }
}
