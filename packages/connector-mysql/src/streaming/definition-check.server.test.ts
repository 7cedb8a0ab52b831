/**
 * The comparison of definitions with a server that falls silent, and with a transaction that takes too long to read
 * ahead: the stream gets an error that it retries after, or an answer in time, and the comparison is made later.
 */
import { TableId } from '@tributary/connector-kit'
import { MySqlConnection, type MySqlConnectionOptions, type TableMap } from '@tributary/mysql'
import { type Clock, CodedError, isRetriable, present, silentLogger } from '@tributary/support'
import {
  type CaptureLogger,
  captureLogger,
  databaseAccounts,
  type DatabaseServer,
  eventually,
  fakeClock,
  type FaultProxy,
  fullTest,
  startFaultProxy,
  startMySql,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { flavorOf } from '../flavor/flavor-of.ts'
import { createInterpreter } from '../record-parts.ts'
import { SchemaReader } from '../tables/schema-reader.ts'
import { runStatements } from '../testing/run-statements.ts'
import { testCompiler } from '../testing/test-compiler.ts'
import { type CheckedDefinition, DefinitionCheck } from './definition-check.ts'
import { DefinitionFinder } from './definition-finder.ts'
import type { LogPlace } from './log-place.ts'
import { decodeStatement } from './statement-decoder.ts'

let database: DatabaseServer
before(async () => {
  database = await startMySql()
})
after(() => database[Symbol.asyncDispose]())

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const LONG = { type: 3, meta: 0 }
/** As the server writes it with binlog_row_metadata=MINIMAL: no names. */
const mapOf = (schema: string): TableMap => ({
  database: schema,
  table: 't',
  columns: [LONG, LONG, LONG],
  tail: Buffer.from([0b110]),
})

interface Event {
  readonly place: LogPlace
  readonly next: LogPlace
  readonly type: string
  readonly info: string
}

/** The first events from a place on, as the server itself lists them. */
async function eventsFrom({ file, position }: LogPlace): Promise<readonly Event[]> {
  const rows = await database.query(`SHOW BINLOG EVENTS IN '${file}' FROM ${position} LIMIT 6`)
  return rows.map((row) => ({
    place: { file, position: Number(row['Pos']) },
    next: { file, position: Number(row['End_log_pos']) },
    type: String(row['Event_type']),
    info: String(row['Info']),
  }))
}

async function endOfBinlog(): Promise<LogPlace> {
  const [row] = await database.query('SHOW BINARY LOG STATUS')
  return { file: String(row?.['File']), position: Number(row?.['Position']) }
}

/** Two columns of `t` exchange their names without the binlog; then one transaction has a row of it, and other rows. */
async function exchange(schema: string, otherRows: number): Promise<readonly Event[]> {
  await database.query(`CREATE DATABASE ${schema}`)
  await runStatements({ database, schema }, [
    'CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)',
    'CREATE TABLE other (id INT PRIMARY KEY, v VARCHAR(8000)) CHARACTER SET latin1',
    'SET SESSION sql_log_bin = 0',
    'ALTER TABLE t RENAME COLUMN a TO b, RENAME COLUMN b TO a',
  ])
  const start = await endOfBinlog()
  await runStatements({ database, schema }, [
    `SET SESSION cte_max_recursion_depth = ${otherRows}`,
    'START TRANSACTION',
    'INSERT INTO t (id, a, b) VALUES (1, 10, 20)',
    `INSERT INTO other WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${otherRows})
      SELECT i, REPEAT('x', 8000) FROM n`,
    'COMMIT',
  ])
  return eventsFrom(start)
}

interface Scene {
  readonly logger: CaptureLogger
  readonly finder: DefinitionFinder
  /** The answer for a row of `t` after that place. */
  readonly at: (after: LogPlace, more?: { from?: LogPlace; finder?: DefinitionFinder }) => Promise<CheckedDefinition>
}

/** A check that reaches the server through the proxy, and the row of `t` in the events. */
async function sceneOf(proxy: FaultProxy, schema: string, events: readonly Event[], clock: Clock): Promise<Scene> {
  const connection: MySqlConnectionOptions = {
    host: proxy.host,
    port: proxy.port,
    ...databaseAccounts.root,
    tls: { mode: 'disabled' },
    connectTimeoutMs: 10_000,
    logger: silentLogger,
  }
  const flavor = flavorOf(database.version)
  await using opened = await MySqlConnection.open(connection)
  const info = await flavor.readServerInfo(opened)
  const create = (): ReturnType<typeof createInterpreter> =>
    createInterpreter({ flavor, info }, { includesComments: false, skipsUnparseable: false })
  const interpreter = create()
  interpreter.setDatabaseCharset(schema, 'utf8mb4')
  interpreter.interpret('CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)', { database: schema })
  const id = TableId.of(schema, 't')
  const known = present(interpreter.tables.get(id), 'the definition of t')
  const logger = captureLogger()
  const finder = new DefinitionFinder({
    reader: new SchemaReader(connection, clock),
    interpreter,
    flavor,
    serverInfo: info,
    connection,
    decodeStatement,
    silenceMsMax: 60_000,
    clock,
    logger,
  })
  const map = events.find(({ type, info: text }) => type === 'Table_map' && text.includes(`(${schema}.t)`))
  const tableId = Number(/table_id: (\d+)/.exec(map?.info ?? '')?.[1])
  assert.ok(tableId > 0, JSON.stringify(events))
  const start = present(events[0], 'the start of the transaction').place
  // One for all calls, as in a stream, unless a call has a finder of its own.
  const checkWith = (own: DefinitionFinder): DefinitionCheck =>
    new DefinitionCheck({
      interpreter,
      createInterpreter: create,
      finder: own,
      compiler: testCompiler({}),
      flavor: 'mysql',
      address: `${proxy.host}:${proxy.port}`,
      clock,
      logger,
    })
  const check = checkWith(finder)
  const at: Scene['at'] = (place, { from = start, finder: own } = {}) => {
    const rows = { id, map: mapOf(schema), proof: { tableId, timestampSeconds: 0 } }
    const where = { after: place, from, identity: info.identity }
    const used = own === undefined ? check : checkWith(own)
    return used.of({ ...rows, place: where }, known, AbortSignal.timeout(60_000))
  }
  return { logger, finder, at }
}

/** The row event of `t`. */
function rowOf(events: readonly Event[]): LogPlace {
  return present(
    events.find(({ type }) => type === 'Write_rows'),
    'rows',
  ).next
}

/** A finder that lets the server fall silent when it is asked for that. */
function silentFrom(step: keyof DefinitionFinder, finder: DefinitionFinder, fallSilent: () => void): DefinitionFinder {
  return new Proxy(finder, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]): unknown => {
        if (name === step) fallSilent()
        return Reflect.apply(value, target, args)
      }
    },
  })
}

for (const step of ['open', 'position', 'knownAfter', 'statementsAfter', 'whyNotInUse'] as const) {
  test(`a server that falls silent: ${step}`, { timeout: 60_000 }, async () => {
    const schema = `silent_${step}`
    const events = await exchange(schema, 1)
    await using proxy = await startFaultProxy({ target: database })
    const clock = fakeClock()
    const scene = await sceneOf(proxy, schema, events, clock)
    let isSilent = false
    const silent = silentFrom(step, scene.finder, () => {
      isSilent = true
      proxy.stall()
    })

    const failed = scene.at(rowOf(events), { finder: silent }).then(
      () => null,
      (error: unknown) => error,
    )
    await eventually('the server is silent', () => isSilent)
    await clock.untilPending()
    await clock.advance(90_000)

    const error = await failed
    assert.ok(error instanceof CodedError && error.code === 'MYSQL_CONNECTION_LOST', String(error))
    assert.ok(isRetriable(error))
    proxy.resume()
    await eventually('no connection is left', () => proxy.connections === 0)
    // The stream continues, and the comparison with it.
    const next = await sceneOf(proxy, schema, events, tickingClock())
    assert.notEqual((await next.at(rowOf(events))).tag, 'unchanged')
  })
}

/** A clock on which each look takes a millisecond: the time for reading ahead is a number of events. */
function tickingClock(onTick: () => void = () => undefined): Clock {
  const clock = fakeClock()
  let ticks = 0
  return {
    now: () => clock.now() + ticks,
    nowMicros: () => (clock.now() + ticks) * 1_000,
    monotonicMs: () => {
      ticks += 1
      onTick()
      return clock.monotonicMs() + ticks
    },
    sleep: async (ms) => {
      ticks += ms
    },
    after: (ms, run) => clock.after(ms, run),
  }
}

fullTest('a transaction that takes too long to read ahead postpones the comparison, in little memory', async () => {
  const [schema, rows] = ['huge', 12_000]
  const events = await exchange(schema, rows)
  const end = await endOfBinlog()
  await using proxy = await startFaultProxy({ target: database })
  const used = (): number => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = used()
  let [peak, looks] = [0, 0]
  const clock = tickingClock(() => {
    looks += 1
    if (looks % 1_000 === 0) peak = Math.max(peak, used() - before)
  })
  const { at, logger } = await sceneOf(proxy, schema, events, clock)
  const row = rowOf(events)

  assert.deepEqual(await at(row), { tag: 'unchanged', isFinal: false })

  const read = proxy.bytes.fromTarget
  assert.ok(read > 5_000_000 && read < 75_000_000, `${read} bytes of ${rows * 8_000} were read ahead`)
  assert.ok(looks > 4_000 && peak < 16_000_000, `reading ahead kept ${peak} bytes`)
  const postponed = logger.matching(`Whether ${schema}.t was changed without the binlog is checked again at `)
  assert.equal(postponed.length, 1)
  assert.match(postponed[0]?.message ?? '', /The server has another definition now/)
  // Rows up to there are not compared again.
  const { accepted } = proxy
  assert.deepEqual(await at({ ...row, position: row.position + 1_000 }), { tag: 'unchanged', isFinal: false })
  assert.deepEqual([proxy.accepted, proxy.bytes.fromTarget], [accepted, read])

  // A row after them has less before it, and the change shows.
  await clock.sleep(60_000)
  await runStatements({ database, schema }, ['INSERT INTO t (id, a, b) VALUES (2, 10, 20)'])
  const later = await at(await endOfBinlog(), { from: end })
  assert.notEqual(later.tag, 'unchanged')
  const from = `rows from ${row.file}:${row.position} up to here were read by the earlier definition and may be wrong`
  assert.ok(logger.lines.some(({ level, message }) => level === 'error' && message.includes(from)))
})
