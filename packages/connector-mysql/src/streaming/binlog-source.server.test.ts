/** How long the stream waits for a server that lacks transactions that were read already. */
import { ConfigDef } from '@tributary/connect-api'
import { ChangePipeline, StreamingNumbers } from '@tributary/connector-kit'
import { CodedError, present, silentLogger, systemClock, type Clock } from '@tributary/support'
import {
  databaseAccounts,
  eventually,
  startFaultProxy,
  startMySql,
  uniqueName,
  useMariaDb,
  useMySql,
  type Database,
} from '@tributary/testkit'
import { MySqlConnection, type MySqlConnectionOptions } from '@tributary/mysql'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typedConfig } from '../config/connector-config.ts'
import { connectorKeys } from '../config/connector-keys.ts'
import { mysqlKind } from '../connector-kind.ts'
import { flavorOf } from '../flavor/flavor-of.ts'
import { StreamPosition } from '../offset/stream-position.ts'
import type { BinlogTranslatorOptions } from './binlog-translator.ts'
import { BinlogSource } from './binlog-source.ts'
import { RowPlaces } from './row-places.ts'
import type { TaskSpool } from './spool/late-spool.ts'
import type { DumpTurn } from './spool/dump-turn.ts'

/** Time passes only in sleeps, which resolve at once; timers are real. */
class HastyClock implements Clock {
  #nowMs = 0
  /** Called in each sleep. */
  onSleep: (nowMs: number) => Promise<void> = () => Promise.resolve()
  now(): number {
    return this.#nowMs
  }
  nowMicros(): number {
    return this.#nowMs * 1000
  }
  monotonicMs(): number {
    return this.#nowMs
  }
  sleep(ms: number): Promise<void> {
    this.#nowMs += ms
    return this.onSleep(this.#nowMs)
  }
  after: Clock['after'] = (ms, run) => systemClock.after(ms, run)
}

interface SourceSetting {
  readonly database: Database
  readonly gtids: string
  readonly clock: HastyClock
  readonly mayRead?: () => boolean
  /** More of the stored offset. */
  readonly offset?: Readonly<Record<string, number>>
  /** Default: that of the database. */
  readonly port?: number
  readonly spool?: TaskSpool
}

async function openSource(setting: SourceSetting): Promise<BinlogSource> {
  const { database, gtids, clock, mayRead = () => true, spool = null } = setting
  const properties = {
    'database.hostname': database.host,
    'database.port': String(database.port),
    'database.user': databaseAccounts.root.user,
    'database.server.id': '54019',
    'topic.prefix': 'p',
    'schema.history.internal.kafka.bootstrap.servers': '127.0.0.1:1',
    'schema.history.internal.kafka.topic': 'h',
  }
  const config = typedConfig(new ConfigDef(connectorKeys(mysqlKind)).parse(properties), properties)
  const { host, port } = database
  const connection: MySqlConnectionOptions = {
    host,
    port,
    ...databaseAccounts.root,
    tls: { mode: spool === null ? 'preferred' : 'disabled' },
    connectTimeoutMs: 10_000,
    logger: silentLogger,
  }
  const flavor = flavorOf(database.version)
  await using opened = await MySqlConnection.open(connection)
  return new BinlogSource({
    connectorName: 'c',
    config,
    flavor,
    serverInfo: await flavor.readServerInfo(opened),
    connection: { ...connection, port: setting.port ?? port },
    replicaUuid: '00000000-0000-4000-8000-000000054019',
    decodeStatement: (bytes, start, end) => bytes.utf8Slice(start, end),
    // No event arrives that would need more.
    translator: { config, logger: silentLogger, places: new RowPlaces() } as unknown as BinlogTranslatorOptions,
    spool,
    mayRead,
    start: present(StreamPosition.parse({ file: 'binlog.000001', pos: 4, gtids, ...setting.offset }), 'a position'),
    onRepeat: () => undefined,
    numbers: new StreamingNumbers(),
    clock,
    logger: silentLogger,
  })
}

/** Polls until the source fails; returns the error and how long the source waited. */
async function failureFrom(
  database: Database,
  gtids: string,
  clock: HastyClock = new HastyClock(),
): Promise<{ error: CodedError; waitedMs: number }> {
  const source = await openSource({ database, gtids, clock })
  const pipeline = new ChangePipeline({ sources: { first: source, next: () => null }, stages: [], clock })
  try {
    for (let polls = 0; polls < 1000; polls++) await pipeline.poll(new AbortController().signal)
  } catch (error) {
    assert.ok(error instanceof CodedError, String(error))
    return { error, waitedMs: clock.now() }
  } finally {
    await pipeline.close()
  }
  throw new Error('the source waits for ever')
}

for (const [use, gtids] of [
  [useMySql, '00000000-0000-4000-8000-000000000001:1-5'],
  [useMariaDb, '0-1-99999999'],
] as const) {
  test(`the stream waits ten minutes for a server that never gets the transactions ${gtids}`, async () => {
    const database = await use()
    // MariaDB refuses no position in a domain in which it has no transaction itself.
    await database.query(`CREATE DATABASE ${uniqueName('known')}`)
    const { error, waitedMs } = await failureFrom(database, gtids)
    assert.equal(error.code, 'SERVER_WRONG', error.message)
    assert.ok(waitedMs >= 600_000 && waitedMs < 700_000, String(waitedMs))
  })
}

test('the stream waits for a replica as long as that catches up', async () => {
  await using database = await startMySql()
  const lost = '00000000-0000-4000-8000-000000000001'
  const clock = new HastyClock()
  // A transaction every eight minutes; the last one never arrives.
  let done = 0
  clock.onSleep = async (nowMs) => {
    if (done === 4 || nowMs < (done + 1) * 480_000) return
    done += 1
    await database.query(`SET gtid_next = '${lost}:${done}'; BEGIN; COMMIT; SET gtid_next = AUTOMATIC`)
  }
  const { error, waitedMs } = await failureFrom(database, `${lost}:1-5`, clock)
  assert.match(error.message, new RegExp(`GTIDs ${lost}:5,`))
  assert.ok(waitedMs >= 4 * 480_000 + 600_000 && waitedMs < 4 * 480_000 + 700_000, String(waitedMs))
})

test('a worker that may have lost the task opens no connection, also after an error', async () => {
  const clock = new HastyClock()
  let isHeld = false
  // Nothing listens there, so each attempt ends with a pause.
  const setting = { database: await useMySql(), gtids: '', clock, mayRead: () => isHeld, port: 1 }
  const source = await openSource(setting)
  const pipeline = new ChangePipeline({ sources: { first: source, next: () => null }, stages: [], clock })
  const { signal } = new AbortController()
  await pipeline.poll(signal)
  assert.equal(clock.now(), 0)
  let pauses = 0
  clock.onSleep = () => {
    pauses += 1
    isHeld = pauses < 3
    return Promise.resolve()
  }
  isHeld = true
  await pipeline.poll(signal)
  assert.equal(pauses, 3)
  await pipeline.poll(signal)
  assert.equal(pauses, 3)
  await pipeline.close()
})

/** A spool that is never used, and the turn that it shares with the stream. */
class UnusedSpool implements TaskSpool {
  turn: DumpTurn | null = null
  choices = 0
  readonly isActive = false
  readonly isConnected = false
  readonly first = null

  start({ turn }: Parameters<TaskSpool['start']>[0]): void {
    this.turn = turn
  }

  choose(): ReturnType<TaskSpool['choose']> {
    this.choices += 1
    return Promise.resolve({ tag: 'connection' })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }

  onStoring(): void {
    // It has nothing to note.
  }

  readonly has = (): Promise<boolean> => Promise.resolve(false)
  readonly report = (): Promise<boolean> => Promise.resolve(false)
  readonly afterPurged = (): Promise<null> => Promise.resolve(null)
  readonly open = (): Promise<null> => Promise.resolve(null)
  readonly onStored = (): void => undefined
}

/** COM_BINLOG_DUMP, COM_BINLOG_DUMP_GTID */
const DUMP_COMMANDS: ReadonlySet<number | undefined> = new Set([0x12, 0x1e])

test('the stream has the turn of a connection until the server has answered its request, and opens none without', async () => {
  const database = await useMySql()
  await using proxy = await startFaultProxy({ target: database })
  const spool = new UnusedSpool()
  const clock = new HastyClock()
  const source = await openSource({ database, gtids: '', clock, port: proxy.port, spool })
  const pipeline = new ChangePipeline({ sources: { first: source, next: () => null }, stages: [], clock })
  const stop = new AbortController()
  const turn = present(spool.turn, 'a turn')
  const other = present(turn.take(), 'the turn')
  await pipeline.poll(stop.signal)
  assert.deepEqual([spool.choices, proxy.accepted], [0, 0])
  other[Symbol.dispose]()

  let isRequested = false
  proxy.onBytes = (bytes, direction) => {
    if (direction !== 'toTarget' || !DUMP_COMMANDS.has(bytes[4])) return
    isRequested = true
    proxy.stall()
  }
  // What the stream does with the events is no part of this.
  const polled = pipeline.poll(stop.signal).catch(() => undefined)
  await eventually('the dump is requested', () => isRequested)
  // Longer than the stream needs after it.
  await database.query('DO SLEEP(0.3)')
  assert.equal(spool.choices, 1)
  assert.equal(turn.take(), null)
  proxy.resume()
  await eventually('the turn is over', () => {
    using again = turn.take()
    return again !== null
  })
  stop.abort()
  await polled
  await pipeline.close()
})

test('a poll without a connection says whether the stream is within a transaction', async () => {
  const database = await useMySql()
  for (const [offset, expected] of [
    [{ event: 2, row: 1 }, true],
    [{}, false],
  ] as const) {
    const clock = new HastyClock()
    const source = await openSource({ database, gtids: '', clock, mayRead: () => false, offset })
    const pipeline = new ChangePipeline({ sources: { first: source, next: () => null }, stages: [], clock })
    const { isInTransaction } = await pipeline.poll(new AbortController().signal)
    assert.equal(isInTransaction, expected)
    await pipeline.close()
  }
})
