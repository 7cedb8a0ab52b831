/**
 * A server whose binlog starts again has files and GTIDs of the same names, with other changes: the connector must never
 * continue with them. Judged by what the servers do, not by what this program stores.
 */
import type { OffsetDocument } from '@tributary/connect-api'
import type { Database, DatabaseServer } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isStreaming, type Scene, sceneOf, TaskRun } from './task-run.ts'

export const TABLE = 'CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT)'

export async function insert({ database, schema }: Pick<Scene, 'database' | 'schema'>, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await database.query(`INSERT INTO ${schema}.t () VALUES ()`)
}

/** The offset of a task that has captured some rows of the table in the stream. */
export async function storedOffset(scene: Scene): Promise<OffsetDocument> {
  await using task = await TaskRun.start(scene, {})
  await task.until(isStreaming)
  await insert(scene, 3)
  await task.untilChanges(3)
  assert.ok(typeof task.stored?.['file_created'] === 'number')
  return task.stored
}

/** The time of a file has whole seconds: two that are created within one cannot be distinguished. */
export async function resetLater(database: Database, statement: string): Promise<void> {
  await database.query('DO SLEEP(1.1)')
  await database.query(statement)
}

/** The newest binlog file of a server. */
export async function newestFile(database: Database): Promise<string> {
  const files = await database.query('SHOW BINARY LOGS')
  return String(files.at(-1)?.['Log_name'])
}

export interface ResetOptions {
  readonly start: () => Promise<DatabaseServer>
  /** The statement that starts the binlog again. */
  readonly reset: string
  /** Transactions have GTIDs. */
  readonly hasGtids: boolean
  readonly cases: ResetCases
}

export interface ResetCases {
  /** Numbers of transactions that follow a reset while the task is stopped. */
  readonly stopped: readonly number[]
  /** The same while it streams. */
  readonly streaming: readonly number[]
  readonly others: readonly ('snapshot' | 'restarts' | 'purged')[]
}

/** Tests on a server of their own. */
export function testResets(name: string, options: ResetOptions): void {
  describe(name, () => {
    const subject = new Subject(options)
    before(() => subject.start())
    after(() => subject.server[Symbol.asyncDispose]())
    const { stopped, streaming, others } = options.cases
    testStopped(subject, stopped)
    testStreaming(subject, streaming)
    if (others.includes('snapshot')) testSnapshot(subject)
    if (others.includes('restarts')) testRestarts(subject)
    if (others.includes('purged')) testPurged(subject)
  })
}

class Subject {
  readonly reset: string
  readonly hasGtids: boolean
  readonly #start: () => Promise<DatabaseServer>
  #server: DatabaseServer | null = null

  constructor({ start, reset, hasGtids }: ResetOptions) {
    this.#start = start
    this.reset = reset
    this.hasGtids = hasGtids
  }

  get server(): DatabaseServer {
    assert.ok(this.#server !== null)
    return this.#server
  }

  async start(): Promise<void> {
    this.#server = await this.#start()
  }
}

function testStopped(subject: Subject, counts: readonly number[]): void {
  test(
    'a reset while the task is stopped is an error, however many transactions follow',
    { timeout: 60_000 },
    async () => {
      for (const transactions of counts) {
        const scene = await sceneOf(subject.server, TABLE)
        const stored = await storedOffset(scene)
        await resetLater(subject.server, subject.reset)
        await insert(scene, transactions)

        await using task = await TaskRun.start(scene, {}, stored)
        const error = await task.failure()
        assert.equal(error.code, 'BINLOG_RESET', error.message)
        assert.match(error.message, /The binlog of the server .* is not the one that was read up to .* RESET/)
        assert.deepEqual(task.changes, [])

        await using again = await TaskRun.start(scene, { 'snapshot.mode': 'when_needed' }, stored)
        const rows = await again.untilChanges(3 + transactions)
        assert.deepEqual([rows[0], rows.length], ['r 1', 3 + transactions])
      }
    },
  )
}

function testSnapshot(subject: Subject): void {
  test('a reset after the snapshot, before the stream, is an error', { timeout: 60_000 }, async () => {
    const scene = await sceneOf(subject.server, `${TABLE}; INSERT INTO t VALUES (1), (2)`)
    await using task = await TaskRun.start(scene, {})
    await task.untilChanges(2)
    const { snapshot: _, ...stored } = task.stored ?? {}
    await resetLater(subject.server, subject.reset)
    await insert(scene, 60)
    await using next = await TaskRun.start(scene, {}, stored)
    assert.equal((await next.failure()).code, 'BINLOG_RESET')
  })
}

function testStreaming(subject: Subject, counts: readonly number[]): void {
  test('a reset while the task streams is an error, however few transactions follow', { timeout: 60_000 }, async () => {
    for (const transactions of counts) {
      const scene = await sceneOf(subject.server, TABLE)
      await using task = await TaskRun.start(scene, { 'connect.keep.alive.interval.ms': '1000' })
      await task.until(isStreaming)
      await insert(scene, 10)
      await task.untilChanges(10)
      await resetLater(subject.server, subject.reset)
      await insert(scene, transactions)

      const error = await task.failure()
      assert.equal(error.code, 'BINLOG_RESET', error.message)
      assert.equal(task.changes.length, 10)
    }
  })
}

function testRestarts(subject: Subject): void {
  test('restarts of the server, new files and the purge of read files are no reset', { timeout: 60_000 }, async () => {
    const scene = await sceneOf(subject.server, TABLE)
    const stored = await storedOffset(scene)
    await subject.server.query('FLUSH BINARY LOGS')
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await subject.server.kill(signal)
      await subject.server.start()
    }
    await insert(scene, 1)
    await using task = await TaskRun.start(scene, {}, stored)
    assert.deepEqual(await task.untilChanges(1), ['c 4'])
    await task.until((run) => run.stored?.['event'] === undefined)
    await task[Symbol.asyncDispose]()

    if (!subject.hasGtids) return
    await subject.server.query('FLUSH BINARY LOGS')
    await subject.server.query(`PURGE BINARY LOGS TO '${await newestFile(subject.server)}'`)
    await insert(scene, 1)
    await using later = await TaskRun.start(scene, {}, task.stored)
    assert.deepEqual(await later.untilChanges(1), ['c 5'])
  })
}

function testPurged(subject: Subject): void {
  test('a reset is an error also when the file of the position is purged', { timeout: 60_000 }, async () => {
    const scene = await sceneOf(subject.server, TABLE)
    const stored = await storedOffset(scene)
    await resetLater(subject.server, subject.reset)
    while ((await newestFile(subject.server)) <= String(stored['file'])) await subject.server.query('FLUSH BINARY LOGS')
    await insert(scene, 60)
    await subject.server.query('FLUSH BINARY LOGS')
    await insert(scene, 1)
    await using task = await TaskRun.start(scene, {}, stored)
    assert.equal((await task.failure()).code, 'BINLOG_RESET')
  })
}
