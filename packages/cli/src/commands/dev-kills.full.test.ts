/** `tributary dev --data` under kill -9: nothing that was acknowledged is lost, and no offset is beyond its records. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { startBroker } from '@tributary/broker'
import { createKafka, type LogRecord } from '@tributary/kafka'
import { present, silentLogger, systemClock } from '@tributary/support'
import { type Database, eventually, freePort, seededRandom, startMySql, temporaryFolder } from '@tributary/testkit'
import { CliProcess } from '../testing/cli-process.ts'

const KILLS = 20
const ROWS = 50_000
const ROWS_BETWEEN = ROWS / (KILLS + 1)
const ROWS_AT_ONCE = 50

/** The place after a committed transaction, and the largest id by then: the server's own answer. */
interface Committed {
  readonly file: string
  readonly position: number
  readonly id: number
}

/** Inserts ascending ids, as the only writer of its server. */
class Writer {
  readonly #database: Database
  readonly committed: Committed[] = []
  #id = 0

  constructor(database: Database) {
    this.#database = database
  }

  get id(): number {
    return this.#id
  }

  async writeTo(goal: number): Promise<void> {
    while (this.#id < goal) {
      const count = Math.min(ROWS_AT_ONCE, goal - this.#id)
      const rows = Array.from({ length: count }, (_, i) => `(${this.#id + i + 1}, REPEAT('x', 100))`)
      await this.#database.query(`INSERT INTO shop.t VALUES ${rows.join()}`)
      this.#id += count
      const [status] = await this.#database.query('SHOW BINARY LOG STATUS')
      this.committed.push({ file: String(status?.['File']), position: Number(status?.['Position']), id: this.#id })
    }
  }
}

/** The ids of the documents that a command has printed: it has read them from the topic, so they were acknowledged. */
function printedIds({ stdout }: CliProcess): readonly number[] {
  return Array.from(stdout.matchAll(/"after":\{"id":(\d+)/g), ([, id]) => Number(id))
}

interface Kept {
  /** In the order of the topic, with repetitions. */
  readonly ids: readonly number[]
  /** Null: none was committed yet. */
  readonly offset: { readonly file: string; readonly pos: number } | null
}

/** Reads what the folder of a killed command has, without a worker. */
async function readKept(folder: string): Promise<Kept> {
  await using broker = await startBroker({ storage: { tag: 'folder', path: join(folder, 'broker') } })
  const kafka = createKafka({
    bootstrapServers: [broker.bootstrapServers],
    clientId: 'test',
    logger: silentLogger,
    clock: systemClock,
  })
  await using admin = kafka.admin()
  const topics = await admin.listTopics()
  const recordsOf = async (topic: string): Promise<readonly LogRecord[]> => {
    const records: LogRecord[] = []
    if (!topics.includes(topic)) return records
    await using reader = await kafka.reader({ topic })
    await reader.readToEnd((record) => records.push(record))
    return records
  }
  const ids = (await recordsOf('shop.shop.t')).map(({ value }) =>
    Number(/"after":\{"id":(\d+)/.exec(String(value))?.[1]),
  )
  const last = (await recordsOf('connect-offsets')).findLast(({ value }) => value !== null)
  const offset = last === undefined ? null : (JSON.parse(String(last.value)) as { file: string; pos: number })
  return { ids, offset }
}

/** The largest id of the transactions that are certainly before an offset. */
function idBefore(offset: Kept['offset'], committed: readonly Committed[]): number {
  if (offset === null) return 0
  const before = committed.filter(
    ({ file, position }) => file < offset.file || (file === offset.file && position <= offset.pos),
  )
  return before.at(-1)?.id ?? 0
}

test('twenty kills while 50,000 events flow lose no acknowledged record, and no offset is beyond its records', async (t) => {
  const random = seededRandom()
  t.diagnostic(`seed ${random.seed}`)
  await using database = await startMySql()
  await database.query('CREATE DATABASE shop; CREATE TABLE shop.t (id INT PRIMARY KEY, v VARCHAR(200))')
  await using folder = temporaryFolder('dev-kills')
  const [data, broker, rest] = [join(folder.path, 'data'), await freePort(), await freePort()]
  const url = `mysql://root:@${database.host}:${database.port}/shop`
  const args = ['dev', url, '--data', data, '--broker-port', String(broker), '--rest-port', String(rest)]
  const writer = new Writer(database)
  const acknowledged = new Set<number>()
  let offsetsSeen = 0

  for (let kill = 1; kill <= KILLS; kill++) {
    const goal = Math.round(kill * ROWS_BETWEEN)
    // A part is committed while nothing runs.
    await writer.writeTo(writer.id + Math.floor((goal - writer.id) * random() * 0.5))
    await using command = new CliProcess(args, {})
    const writing = writer.writeTo(goal)
    const enough = writer.id + Math.ceil((goal - writer.id) * random())
    await eventually(
      `kill ${kill}: id ${enough} is printed`,
      () => {
        assert.equal(command.child.exitCode, null, command.stderr)
        return Math.max(0, ...printedIds(command).slice(-1)) >= enough
      },
      { timeoutMs: 120_000, everyMs: 5 },
    )
    command.child.kill('SIGKILL')
    await once(command.child, 'close')
    for (const id of printedIds(command)) acknowledged.add(id)
    await writing

    const kept = await readKept(data)
    const ids = new Set(kept.ids)
    const lost = [...acknowledged].filter((id) => !ids.has(id))
    assert.deepEqual(lost, [], `kill ${kill}: acknowledged records that are lost`)
    const before = idBefore(kept.offset, writer.committed)
    const skipped = Array.from({ length: before }, (_, i) => i + 1).filter((id) => !ids.has(id))
    assert.deepEqual(skipped, [], `kill ${kill}: records before the stored offset that are missing`)
    if (before > 0) offsetsSeen += 1
  }
  assert.ok(offsetsSeen > 0, 'at least one kill was after a commit of offsets')

  {
    await using command = new CliProcess(args, {})
    await writer.writeTo(ROWS)
    await eventually('the last row is printed', () => printedIds(command).at(-1) === ROWS, { timeoutMs: 120_000 })
    command.child.kill('SIGTERM')
    assert.equal((await command.end()).code, 0)
  }
  const kept = await readKept(data)
  const [row] = await database.query('SELECT COUNT(*) AS n, MIN(id) AS low, MAX(id) AS high FROM shop.t')
  const unique = new Set(kept.ids)
  assert.deepEqual(
    [unique.size, Math.min(...unique), present(kept.ids.at(-1), 'the last id')],
    [Number(row?.['n']), Number(row?.['low']), Number(row?.['high'])],
  )
  // First occurrences are in the order of the commits.
  assert.deepEqual(
    [...unique],
    Array.from({ length: ROWS }, (_, i) => i + 1),
  )
  t.diagnostic(`${kept.ids.length - unique.size} records are repeated, ${acknowledged.size} were acknowledged by kills`)
})
