/** Snapshots that spare their source: limits of rows and bytes by a clock of the test, the load of real servers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ConnectorNumbers } from '@tributary/connector-kit'
import { MySqlConnection, type MySqlConnectionOptions } from '@tributary/mysql'
import { OutageBoard, silentLogger, withOutages } from '@tributary/support'
import {
  captureLogger,
  type Database,
  databaseAccounts,
  eventually,
  type FakeClock,
  fakeClock,
  uniqueName,
  useMariaDb,
  useMySql,
} from '@tributary/testkit'
import type { SnapshotLimits } from '../config/limit-keys.ts'
import { mariadbFlavor } from '../flavor/mariadb-flavor.ts'
import { mysqlFlavor } from '../flavor/mysql-flavor.ts'
import type { ServerInfo } from '../flavor/flavor.ts'
import { SnapshotPace } from './snapshot-pace.ts'

const NONE: SnapshotLimits = {
  rowsPerSecondMax: 0,
  bytesPerSecondMax: 0,
  runningThreadsMax: 0,
  replicas: [],
  replicaLagMaxMs: 10_000,
  replicaWaitMaxMs: -1,
}
const signal = new AbortController().signal

function connectionOf({ host, port }: Database): MySqlConnectionOptions {
  const { root } = databaseAccounts
  return { host, port, ...root, tls: { mode: 'disabled' }, connectTimeoutMs: 5_000, logger: silentLogger }
}

function paceOf(database: Database, limits: Partial<SnapshotLimits>, clock: FakeClock) {
  const { flavor: name } = database
  const numbers = new ConnectorNumbers()
  numbers.snapshot.begin(0)
  const logger = captureLogger()
  const outages = new OutageBoard(clock)
  const pace = new SnapshotPace({
    limits: { ...NONE, ...limits },
    connection: connectionOf(database),
    flavor: name === 'mariadb' ? mariadbFlavor : mysqlFlavor,
    serverInfo: { versionNumber: name === 'mariadb' ? 101_100 : 90_700 } as ServerInfo,
    numbers,
    clock,
    logger: withOutages(logger, outages),
  })
  return { pace, numbers, logger, outages }
}

/** Advances until the reader may read. */
async function go(pace: SnapshotPace, clock: FakeClock): Promise<void> {
  for (;;) {
    const waiting = pace.wait(signal)
    let isOver = false
    void waiting.then(() => {
      isOver = true
    })
    await eventually('the pace sleeps, or lets the reader go', async () => isOver || clock.pending > 0)
    if (!isOver) await clock.advance(10)
    while (!isOver && clock.pending > 0) await clock.advance(10)
    if (!(await waiting)) return
  }
}

for (const { title, limits, bytes, expectedMs } of [
  { title: 'rows', limits: { rowsPerSecondMax: 2_000 }, bytes: 1, expectedMs: 5_000 },
  { title: 'bytes', limits: { bytesPerSecondMax: 100_000 }, bytes: 50, expectedMs: 5_000 },
  {
    title: 'both: the slower one',
    limits: { rowsPerSecondMax: 4_000, bytesPerSecondMax: 50_000 },
    bytes: 50,
    expectedMs: 10_000,
  },
]) {
  test(`10,000 rows take as long as the limit demands: ${title}`, async () => {
    const clock = fakeClock()
    const { pace } = paceOf(await useMySql(), limits, clock)
    await using _pace = pace
    const startMs = clock.monotonicMs()
    for (let rows = 0; rows < 10_000; rows += 250) {
      await go(pace, clock)
      pace.spent(250, 250 * bytes)
    }
    await go(pace, clock)
    const tookMs = clock.monotonicMs() - startMs
    assert.ok(Math.abs(tookMs - expectedMs) <= expectedMs / 20, `${tookMs} ms`)
    assert.ok(pace.batchRowsMax(2_048) <= 2_048)
  })
}

for (const [title, open] of [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const) {
  test(`${title}: a snapshot waits while too many threads run`, async () => {
    const database = await open()
    const clock = fakeClock()
    const { pace, numbers, logger } = paceOf(database, { runningThreadsMax: 1_000 }, clock)
    await using _pace = pace
    await go(pace, clock)
    assert.equal(numbers.snapshot.waitsFor, null)
    const sessions = await Promise.all(Array.from({ length: 5 }, () => MySqlConnection.open(connectionOf(database))))
    const ids = await Promise.all(sessions.map(async (each) => (await each.query('SELECT CONNECTION_ID()'))[0]?.[0]))
    // They run until they are killed.
    const sleeps = sessions.map((each) => each.query('SELECT SLEEP(250)').catch(() => undefined))
    const busy = paceOf(database, { runningThreadsMax: 4 }, clock)
    await using _busy = busy.pace
    await eventually('five sessions run', async () => {
      const [row] = await database.query("SHOW GLOBAL STATUS LIKE 'Threads_running'")
      return Number(row?.['Value']) > 5
    })
    assert.equal(busy.pace.isHeld, true)
    await eventually('the load is known', async () => busy.pace.isHeld && busy.numbers.snapshot.waitsFor !== null)
    assert.match(busy.numbers.snapshot.waitsFor ?? '', /^\d+ running threads, limit 4$/)
    assert.equal(busy.logger.matching(/^The snapshot waits: \d+ running threads, limit 4$/).length, 1)
    await database.query(ids.map((id) => `KILL ${id}`).join(';'))
    await Promise.all(sleeps)
    for (const each of sessions) await each.close()
    assert.deepEqual(
      logger.lines.map(({ message }) => message),
      [],
    )
  })

  test(`${title}: a snapshot ends although its own locks cause the load that it waits for`, async () => {
    const database = await open()
    const schema = uniqueName('pace')
    await database.query(`CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (id INT PRIMARY KEY)`)
    const [reader, ...others] = await Promise.all(
      Array.from({ length: 4 }, () => MySqlConnection.open(connectionOf(database))),
    )
    assert.ok(reader !== undefined)
    await reader.query('START TRANSACTION')
    await reader.query(`SELECT * FROM ${schema}.t`)
    const blocked = others.map((each) => each.query(`ALTER TABLE ${schema}.t COMMENT 'new'`))
    await eventually('the statements wait for the lock of the table', async () => {
      const rows = await database.query('SHOW PROCESSLIST')
      return rows.filter(({ State: state }) => /metadata lock/.test(String(state))).length >= 3
    })
    const clock = fakeClock()
    const sleep = clock.sleep.bind(clock)
    let isAsleep = false
    clock.sleep = (ms, stop) => {
      isAsleep = true
      return sleep(ms, stop)
    }
    const { pace, numbers, logger } = paceOf(database, { runningThreadsMax: 2 }, clock)
    await using _pace = pace
    /** After how many milliseconds a batch may be read. */
    const batch = async (): Promise<number> => {
      const startMs = clock.monotonicMs()
      for (;;) {
        let isOver = false
        isAsleep = false
        const waiting = pace.waitInTransaction(signal).finally(() => {
          isOver = true
        })
        while (!isOver && !isAsleep) await setImmediate()
        while (!isOver) await clock.advance(1_000)
        if (!(await waiting)) return clock.monotonicMs() - startMs
      }
    }
    const pauses: number[] = []
    for (let batches = 0; batches < 7; batches += 1) pauses.push(await batch())
    assert.deepEqual(pauses, [30_000, 15_000, 8_000, 4_000, 2_000, 1_000, 1_000])
    assert.match(numbers.snapshot.waitsFor ?? '', /running threads, limit 2$/)
    assert.equal(logger.matching(/reads single batches although too many threads run/).length, 1)
    // Who has no transaction open waits.
    assert.equal(pace.isHeld, true)
    await reader.query('COMMIT')
    await Promise.all(blocked)
    for (const each of [reader, ...others]) await each.close()
  })

  test(`${title}: a snapshot waits for replicas that it cannot know, and says what to do`, async () => {
    const database = await open()
    const clock = fakeClock()
    const replicas = [
      { host: database.host, port: database.port },
      { host: '127.0.0.1', port: 1 },
    ]
    const { pace, numbers } = paceOf(database, { replicas }, clock)
    await using _pace = pace
    await eventually('the replicas were asked', async () => pace.isHeld && numbers.snapshot.waitsFor !== null)
    const { waitsFor } = numbers.snapshot
    assert.match(
      waitsFor ?? '',
      new RegExp(`^${database.host}:${database.port} is no replica; correct snapshot.replica`),
    )
    assert.match(
      waitsFor ?? '',
      /the replica 127\.0\.0\.1:1 cannot be asked \(.*\); remove it from snapshot\.replica\.hosts/,
    )
  })

  test(`${title}: a replica that is down is in the log and the health, and does not hold the snapshot up for ever`, async () => {
    const clock = fakeClock()
    const limits = { replicas: [{ host: '127.0.0.1', port: 1 }], replicaWaitMaxMs: 200_000 }
    const { pace, numbers, logger, outages } = paceOf(await open(), limits, clock)
    await using _pace = pace
    await eventually('the replica was asked', async () => pace.isHeld && numbers.snapshot.waitsFor !== null)
    let seconds = 0
    const isOver = async (): Promise<boolean> => {
      if (!pace.isHeld) return true
      seconds += 1
      await clock.advance(1_000)
      if (seconds === 130)
        assert.match(outages.ongoing()[0]?.message ?? '', /has read nothing for 2 min: .*127.0.0.1:1/)
      return false
    }
    await eventually('the snapshot continues without it', isOver, { timeoutMs: 60_000, everyMs: 5 })
    assert.ok(seconds >= 199)
    assert.ok(logger.matching(/has waited for [123] min: the replica 127.0.0.1:1/).length >= 2)
    assert.equal(logger.matching(/does not wait for the replica 127.0.0.1:1 any more/).length, 1)
    assert.deepEqual([numbers.snapshot.waitsFor, outages.ongoing()], [null, []])
  })
}
