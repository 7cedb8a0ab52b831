/** What a server that cannot answer does to the stream. Answers of real servers: `unlogged-changes.server.test.ts`. */
import { mysqlErrors, type TableMap } from '@tributary/mysql'
import { type CaptureLogger, captureLogger, type FakeClock, fakeClock } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MySqlTable } from '../schema/mysql-table.ts'
import { SchemaSession } from '../tables/schema-reader.ts'
import { shopInterpreter } from '../testing/shop-interpreter.ts'
import { testCompiler } from '../testing/test-compiler.ts'
import { type CheckedDefinition, DefinitionCheck, type FittingRows } from './definition-check.ts'
import type { LogPlace } from './log-place.ts'

const address = 'db:3306'
const END: LogPlace = { file: 'log.000001', position: 1_000 }
const CURRENT = 'CREATE TABLE `t` (`id` int NOT NULL, `b` int, `a` int, PRIMARY KEY (`id`))'
const POSTPONED: CheckedDefinition = { tag: 'unchanged', isFinal: false }
const FINAL: CheckedDefinition = { tag: 'unchanged', isFinal: true }
const LONG = { type: 3, meta: 0 }
const map: TableMap = { database: 'shop', table: 't', columns: [LONG, LONG, LONG], tail: Buffer.from([0b110]) }

interface Scene {
  /** The answer for rows at that place, whose table number is new. */
  readonly at: (position: number) => Promise<CheckedDefinition>
  readonly calls: { readonly opened: number; readonly read: number; readonly closed: number }
  readonly clock: FakeClock
  readonly logger: CaptureLogger
}

/** The table whose columns a and b have exchanged their names on a server, which answers with the errors first. */
function scene(errors: { readonly opening?: readonly Error[]; readonly reading?: readonly Error[] }): Scene {
  const interpreter = shopInterpreter()
  interpreter.interpret('CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)', { database: 'shop' })
  const [known] = interpreter.tables
  assert.ok(known !== undefined)
  const [opening, reading] = [[...(errors.opening ?? [])], [...(errors.reading ?? [])]]
  const calls = { opened: 0, read: 0, closed: 0 }
  const fail = async (from: Error[]): Promise<void> => {
    const error = from.shift()
    if (error !== undefined) throw error
  }
  const session = Object.assign(Object.create(SchemaSession.prototype) as SchemaSession, {
    createStatement: async () => {
      calls.read += 1
      await fail(reading)
      return CURRENT
    },
    [Symbol.asyncDispose]: async () => {
      calls.closed += 1
    },
  })
  const clock = fakeClock()
  const logger = captureLogger()
  const check = new DefinitionCheck({
    interpreter,
    createInterpreter: shopInterpreter,
    finder: {
      open: async () => {
        calls.opened += 1
        await fail(opening)
        return { session, identity: 'one' }
      },
      position: async () => END,
      knownAfter: () => null,
      statementsAfter: async () => ({ tag: 'statements', statements: [], until: END }),
      follow: () => ({ name: known.id, statements: [] }),
      whyChangedAfter: async () => ({ tag: 'none' }),
      whyNotInUse: async () => ({ tag: 'none' }),
    },
    compiler: testCompiler({}),
    flavor: 'mysql',
    address,
    clock,
    logger,
  })
  const at = (position: number): Promise<CheckedDefinition> =>
    check.of(rowsAt(known, position), known, AbortSignal.timeout(60_000))
  return { at, calls, clock, logger }
}

function rowsAt({ id }: MySqlTable, position: number): FittingRows {
  const place = { file: END.file, position }
  const proof = { tableId: position, timestampSeconds: 0 }
  return { id, map, place: { after: place, from: place, identity: 'one' }, proof }
}

test('a server without a free connection postpones the comparison; the change that shows later names the first rows', async () => {
  const busy = mysqlErrors.MYSQL_BUSY({ address, doing: 'logging in', reason: 'Too many connections' })
  const { at, calls, clock, logger } = scene({ opening: [busy] })
  assert.deepEqual(await at(100), POSTPONED)
  assert.deepEqual(await at(200), POSTPONED)
  assert.equal(calls.opened, 1)
  assert.equal(logger.matching('cannot be checked now').length, 1)

  await clock.advance(10_001)
  const found = await at(300)
  assert.ok(found.tag === 'changed')
  assert.match(found.how, /rows from log\.000001:100 up to here .* may be wrong/)
  assert.deepEqual(
    found.table.columns.map(({ name }) => name),
    ['id', 'b', 'a'],
  )
  assert.ok(logger.lines.some(({ level, message }) => level === 'error' && message.includes('log.000001:100')))
})

test('a lock concerns its table alone, and the session stays open', async () => {
  const cause = Object.assign(new Error('Lock wait timeout exceeded'), { errno: 1205 })
  const locked = mysqlErrors.MYSQL_BUSY({ address, doing: 'reading', reason: cause.message }, cause)
  const { at, calls, clock } = scene({ reading: [locked] })
  assert.deepEqual(await at(100), POSTPONED)
  assert.deepEqual(await at(200), POSTPONED)
  assert.deepEqual(calls, { opened: 1, read: 1, closed: 0 })
  await clock.advance(30_001)
  assert.equal((await at(300)).tag, 'changed')
  assert.equal(calls.opened, 1)
})

test('a missing privilege is not asked for with each number, and closes no session', async () => {
  const refused = mysqlErrors.MYSQL_QUERY_FAILED({ address, sql: 'SHOW CREATE TABLE', reason: 'denied (1142)' })
  const { at, calls, clock } = scene({ reading: [refused] })
  assert.deepEqual([await at(100), await at(200)], [FINAL, FINAL])
  assert.deepEqual(calls, { opened: 1, read: 1, closed: 0 })
  await clock.advance(60_001)
  assert.equal((await at(300)).tag, 'changed')
})

test('only the loss of the connection ends the stream', async () => {
  const lost = mysqlErrors.MYSQL_CONNECTION_LOST({ address, doing: 'reading', reason: 'ECONNRESET' })
  const { at, calls } = scene({ reading: [lost] })
  await assert.rejects(at(100), { code: 'MYSQL_CONNECTION_LOST' })
  assert.equal(calls.closed, 1)
})
