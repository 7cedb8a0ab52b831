/**
 * The first copy of three tables beside writers, in each mode and with several connections: rows per second, the longest
 * wait of a writer, latencies of transactions before, during and after; with kills at parts of the copy also the repeated
 * rows and the seconds until it continues. In the end the topics have what SELECT returns. Prints a line of figures each.
 *
 *     COPY_ROWS=5000000 COPY_MODES=locking,lock-free,incremental COPY_THREADS=1,2,4 COPY_KILLS=10,50,90 COPY_RUNS=10 \
 *       COPY_SERVERS=mysql,mariadb npm run test:soak -- copy-modes
 */
import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { present, systemClock } from '@tributary/support'
import {
  connectorConfig,
  type Database,
  eventually,
  kafkaClient,
  seededRandom,
  type SeededRandom,
  type Service,
  startKafka,
  startMariaDb,
  startMySql,
  startService,
  uniqueName,
} from '@tributary/testkit'

const list = (name: string, otherwise: string): readonly string[] => (process.env[name] ?? otherwise).split(',')
const ROWS = Number(process.env['COPY_ROWS'] ?? 60_000)
const RUNS = Number(process.env['COPY_RUNS'] ?? 1)
/** In percent of the rows; 0: no kill. */
const KILLS = list('COPY_KILLS', '0').map(Number)
const TABLES = ['a', 'b', 'c'] as const
/** Of transactions per second, by three sessions. */
const RATE = 300
const IDLE_MS = 2_000
const LONG = { timeoutMs: 3_600_000, everyMs: 100 } as const
const MODES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  locking: {},
  'lock-free': { 'snapshot.locking.mode': 'none' },
  incremental: { 'snapshot.mode': 'no_data' },
}

for (const server of list('COPY_SERVERS', 'mysql')) {
  for (const mode of list('COPY_MODES', 'locking,lock-free,incremental')) {
    for (const threads of list('COPY_THREADS', '1')) {
      for (const kill of KILLS) {
        for (let run = 0; run < RUNS; run++) {
          const killed = kill === 0 ? '' : `, killed at ${kill} %`
          test(`${server}, ${mode}, ${threads} connections${killed}, run ${run}`, (t) =>
            measure(t, { server, mode, threads, kill }))
        }
      }
    }
  }
}

interface Settings {
  readonly server: string
  readonly mode: string
  readonly threads: string
  readonly kill: number
}

/** The servers of all runs, started when the first one needs them. */
const stack = new AsyncDisposableStack()
const kafka = lazily(() => startKafka())
const databases: Readonly<Record<string, () => Promise<Database>>> = {
  mysql: lazily(() => startMySql()),
  mariadb: lazily(() => startMariaDb()),
}

after(() => stack.disposeAsync())

function lazily<T extends AsyncDisposable>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | null = null
  return () => (started ??= start().then((server) => stack.use(server)))
}

async function measure(t: TestContext, { server, mode, threads, kill }: Settings): Promise<void> {
  const random = seededRandom()
  const database = await present(databases[server], server)()
  const { bootstrapServers } = await kafka()
  const name = uniqueName('copy')
  await using service = await startService({ bootstrapServers, name })
  await fill(database, name)
  const load = new Load(database, name, random)
  await setTimeout(IDLE_MS)
  const before = load.phase()
  const more = { ...MODES[mode], 'snapshot.max.threads': threads, 'offset.flush.interval.ms': '1000' }
  const startMs = systemClock.monotonicMs()
  await service.register(name, connectorConfig({ database, bootstrapServers, prefix: name, includes: name, more }))
  if (mode === 'incremental') await signal(service, name)
  const toContinue = kill === 0 ? null : await killAt(service, name, kill)
  const end = mode === 'locking' ? /Snapshot completed/ : /The incremental snapshot is complete/
  await eventually('the copy is complete', async () => end.test(service.log), LONG)
  const seconds = (systemClock.monotonicMs() - startMs) / 1000
  const during = load.phase()
  await setTimeout(IDLE_MS)
  const after = load.phase()
  await load.stop()
  const topics = await untilEqual(database, name, bootstrapServers)
  const figures = {
    'rows/s': Math.round(ROWS / seconds),
    'longest wait, ms': during.longest,
    'p99 before, during and after, ms': [before.p99, during.p99, after.p99],
    repeated: topics.repeated,
    ...topics.differences,
    ...(toContinue === null ? {} : { 'seconds until it continues': toContinue }),
  }
  t.diagnostic(`${JSON.stringify(figures)} (seed ${random.seed})`)
  await service.stop()
  await database.query(`DROP DATABASE ${name}`)
  assert.deepEqual(topics.differences, { missing: 0, wrong: 0 })
}

async function fill(database: Database, name: string): Promise<void> {
  await database.query(`CREATE DATABASE ${name}`)
  const count = Math.ceil(ROWS / TABLES.length)
  const PART = 20_000
  for (const table of TABLES) {
    await database.query(`CREATE TABLE ${name}.${table} (id INT PRIMARY KEY, v INT, note VARCHAR(40))`)
    for (let from = 0; from < count; from += PART) {
      const values = Array.from({ length: Math.min(PART, count - from) }, (_, i) => `(${from + i}, 0, 'note ${i}')`)
      await database.query(`INSERT INTO ${name}.${table} VALUES ${values.join()}`)
    }
  }
}

async function signal(service: Service, name: string): Promise<void> {
  const data = { 'data-collections': [`${name}\\..*`] }
  const isAccepted = async (): Promise<boolean> =>
    (await service.rest('POST', `/connectors/${name}/signals`, { id: 's', type: 'execute-snapshot', data })).status ===
    202
  await eventually('the signal is accepted', isAccepted, { timeoutMs: 120_000, everyMs: 100 })
}

/** Returns the seconds from the kill until further rows are read. */
async function killAt(service: Service, name: string, percent: number): Promise<number> {
  await eventually('a part is copied', async () => (await copiedRows(service, name)) >= (ROWS * percent) / 100, LONG)
  const killedMs = systemClock.monotonicMs()
  await service.kill()
  await service.start()
  await eventually('it continues', async () => (await copiedRows(service, name)) > 0, {
    timeoutMs: 120_000,
    everyMs: 20,
  })
  return Number(((systemClock.monotonicMs() - killedMs) / 1000).toFixed(1))
}

/** Since the start of the worker; all of them when the copy is complete. */
async function copiedRows(service: Service, name: string): Promise<number> {
  if (/The incremental snapshot is complete|Snapshot completed/.test(service.log)) return ROWS
  const answer = await service.rest('GET', `/connectors/${name}/snapshot`).catch(() => null)
  return (answer?.json as { snapshot?: { rows?: number } | null } | undefined)?.snapshot?.rows ?? 0
}

interface Phase {
  readonly longest: number
  readonly p99: number
}

/** Sessions that change rows, and one that inserts a row each 10 ms. */
class Load {
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>
  #latencies: number[] = []
  #longest = 0

  constructor(database: Database, name: string, random: SeededRandom) {
    const writers = [0, 1, 2].map((number) => this.#write(database, name, random, number))
    this.#running = Promise.all([...writers, this.#probe(database, `${name}_probe`)])
    // It is awaited at the end.
    this.#running.catch(() => undefined)
  }

  /** The figures since the last call. */
  phase(): Phase {
    const sorted = this.#latencies.toSorted((a, b) => a - b)
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0
    const phase = { longest: Math.round(this.#longest), p99: Math.round(p99 * 10) / 10 }
    this.#latencies = []
    this.#longest = 0
    return phase
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #write(database: Database, name: string, random: SeededRandom, number: number): Promise<void> {
    const connection = await database.connect()
    const count = Math.ceil(ROWS / TABLES.length)
    for (let n = 0; !this.#stop.signal.aborted; n++) {
      const startMs = systemClock.monotonicMs()
      const table = `${name}.${random.pick(TABLES)}`
      const id = random.integer(0, count * 2)
      await connection.query('BEGIN')
      await connection.query(`UPDATE ${table} SET v = v + 1 WHERE id = ${random.integer(0, count)}`)
      if (n % 5 === 0) await connection.query(`INSERT IGNORE INTO ${table} VALUES (${id}, ${number}, 'new')`)
      if (n % 7 === 0) await connection.query(`DELETE FROM ${table} WHERE id = ${random.integer(0, count)}`)
      await connection.query('COMMIT')
      const tookMs = systemClock.monotonicMs() - startMs
      this.#latencies.push(tookMs)
      await setTimeout(Math.max(0, 3_000 / RATE - tookMs))
    }
    await connection.end()
  }

  async #probe(database: Database, name: string): Promise<void> {
    await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY AUTO_INCREMENT)`)
    const connection = await database.connect()
    while (!this.#stop.signal.aborted) {
      const startMs = systemClock.monotonicMs()
      await connection.query(`INSERT INTO ${name}.t VALUES ()`)
      this.#longest = Math.max(this.#longest, systemClock.monotonicMs() - startMs)
      await setTimeout(10)
    }
    await connection.end()
  }
}

interface Outcome {
  readonly repeated: number
  readonly differences: { readonly missing: number; readonly wrong: number }
}

/** Waits until the topics have what SELECT returns, or do not change any more. */
async function untilEqual(database: Database, name: string, bootstrapServers: readonly string[]): Promise<Outcome> {
  let before = -1
  for (;;) {
    const outcomes: { repeated: number; missing: number; wrong: number }[] = []
    let records = 0
    for (const table of TABLES) {
      const topic = await readRows(bootstrapServers, `${name}.${name}.${table}`)
      records += topic.records
      const rows = await database.query(`SELECT id, v FROM ${name}.${table}`)
      const missing = rows.filter(({ id }) => !topic.rows.has(Number(id))).length
      const differing = rows.filter(
        ({ id, v }) => topic.rows.has(Number(id)) && topic.rows.get(Number(id)) !== v,
      ).length
      const gone = topic.rows.size - (rows.length - missing)
      outcomes.push({ repeated: topic.repeated, missing, wrong: differing + gone })
    }
    const sum = (of: (each: (typeof outcomes)[number]) => number): number =>
      outcomes.reduce((all, each) => all + of(each), 0)
    const differences = { missing: sum(({ missing }) => missing), wrong: sum(({ wrong }) => wrong) }
    if (records === before || differences.missing + differences.wrong === 0)
      return { repeated: sum(({ repeated }) => repeated), differences }
    before = records
    await setTimeout(5_000)
  }
}

interface TopicRows {
  /** The last state of each row that was not deleted. */
  readonly rows: ReadonlyMap<number, number>
  readonly records: number
  /** Rows of the snapshot that have arrived before. */
  readonly repeated: number
}

async function readRows(bootstrapServers: readonly string[], topic: string): Promise<TopicRows> {
  const rows = new Map<number, number>()
  const read = new Set<number>()
  let records = 0
  let repeated = 0
  await using reader = await (await kafkaClient(bootstrapServers)).reader({ topic, from: 'earliest' })
  await reader.readToEnd(({ value }) => {
    records += 1
    if (value === null) return
    const { op, before, after } = (JSON.parse(value.toString()) as { payload: Payload }).payload
    if (op === 'r' && after !== null) {
      if (read.has(after.id)) repeated += 1
      read.add(after.id)
    }
    if (after !== null) rows.set(after.id, after.v)
    else if (before !== null) rows.delete(before.id)
  })
  return { rows, records, repeated }
}

interface Payload {
  readonly op: string
  readonly before: { readonly id: number } | null
  readonly after: { readonly id: number; readonly v: number } | null
}
