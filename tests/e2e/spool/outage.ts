import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { present } from '@tributary/support'
import {
  connectorConfig,
  type DatabaseServer,
  eventually,
  type KafkaServer,
  type Service,
  startKafka,
  startService,
  temporaryFolder,
} from '@tributary/testkit'
import { ReceivedRows } from './received-rows.ts'
import { SCHEMA, Writer } from './writer.ts'

export interface OutageOptions {
  readonly start: () => Promise<DatabaseServer>
  /** How long the brokers are unreachable. */
  readonly seconds: number
  readonly perSecond: number
  /** The database server is restarted after a quarter of the outage. */
  readonly restartsDatabase?: boolean
  /** Properties of the connector. */
  readonly more?: Readonly<Record<string, string>>
}

export interface OutageResult {
  readonly transactions: number
  readonly spoolBytes: number
  readonly records: number
  readonly repeated: number
  readonly log: string
}

/**
 * The brokers are unreachable while the server writes transactions and purges its binlog, and the worker is killed
 * after two thirds of that time: then nothing but the spool has what the server has purged. Afterwards each transaction
 * must be on the topic, in the order of its key, and the last records must be what the server's own SELECT returns.
 *
 * What is written between the kill and the end of the outage remains on the server: a worker without brokers has no
 * tasks.
 */
export async function surviveOutage(options: OutageOptions): Promise<OutageResult> {
  const { start, seconds, perSecond } = options
  await using folder = temporaryFolder('spool')
  await using kafka = await startKafka({ behindProxy: true })
  await using database = await start()
  await using service = await startService({ bootstrapServers: kafka.bootstrapServers })
  const writer = await Writer.open(database, perSecond)
  await using _writer = writer
  await register(service, { database, kafka, folder: folder.path, more: options.more ?? {} })
  await writer.write(0.5)
  await using received = await ReceivedRows.open(kafka.internalServers)
  await received.readUntil(writer.counts)
  await untilStored(service, database)

  for (const proxy of kafka.proxies) proxy.refuse()
  const spool = join(folder.path, SCHEMA)
  const purger = new Purger(database)
  const firstFile = await purger.currentFile()
  const quarter = seconds / 6
  for (let part = 0; part < 4; part++) {
    await writer.write(quarter)
    if (part === 1 && options.restartsDatabase === true) {
      await database.stop()
      await database.start()
      await writer.reconnect()
    }
    await service.waitForLog(/is read into the spool in/)
    await untilRead(database, spool)
    await purger.purge()
  }
  const spoolBytes = sizeOf(spool)
  await untilKnown(service)
  await service.kill()
  assert.ok(!(await purger.files()).includes(firstFile), 'the server has purged what was not sent')
  // A start waits for the brokers, and its caller for at most a minute.
  const lastSeconds = Math.min(quarter * 2, 30)
  await writer.write(quarter * 2 - lastSeconds)
  const starting = service.start()
  // Fails while nobody awaits it only when the test fails anyway.
  starting.catch(() => undefined)
  await writer.write(lastSeconds)
  for (const proxy of kafka.proxies) proxy.resume()
  await starting
  await writer.write(0.5)

  await received.readUntil(writer.counts, seconds * 1000 + 120_000)
  await received.requireSame(await database.query(`SELECT id, n FROM ${SCHEMA}.t ORDER BY id`))
  await service.waitUntilRunning(SCHEMA)
  for (const file of readdirSync(spool)) assert.equal(statSync(join(spool, file)).mode & 0o777, 0o600)
  return {
    transactions: writer.transactions,
    spoolBytes,
    records: received.records,
    repeated: received.repeated,
    log: service.log,
  }
}

/** The worker has read the offset: in the outage, the time to loss counts from what it knows. */
async function untilStored(service: Service, database: DatabaseServer): Promise<void> {
  const [end] = await database.query(STATUS[database.flavor])
  await eventually('the offset after the last transaction is stored', async () => {
    const { json } = await service.rest('GET', `/connectors/${SCHEMA}/offsets`)
    const [first] = (json as { offsets: readonly { offset: { file: string; pos: number } }[] }).offsets
    return first?.offset.file === end?.['File'] && first?.offset.pos === Number(end?.['Position'])
  })
}

const STATUS = { mysql: 'SHOW BINARY LOG STATUS', mariadb: 'SHOW MASTER STATUS' } as const

/** The server has purged what follows the stored offset, which is no loss: the spool has it. */
async function untilKnown(service: Service): Promise<void> {
  await eventually('the time to loss counts from the end of the spool', async () => {
    const { json } = await service.rest('GET', `/connectors/${SCHEMA}/health`)
    const { time_to_loss: loss } = json as { time_to_loss: { status: string; notes: readonly string[] } }
    assert.match(loss.notes.join('\n'), /The spool in .* has the events after the stored offset/)
    assert.notEqual(loss.status, 'lost')
    return true
  })
}

interface Registration {
  readonly database: DatabaseServer
  readonly kafka: KafkaServer
  readonly folder: string
  readonly more: Readonly<Record<string, string>>
}

async function register(service: Service, { database, kafka, folder, more }: Registration): Promise<void> {
  const { bootstrapServers } = kafka
  const config = connectorConfig({
    database,
    bootstrapServers,
    prefix: SCHEMA,
    includes: SCHEMA,
    more: {
      'binlog.spool.dir': folder,
      'binlog.loss.check.interval.ms': '1000',
      'value.converter.schemas.enable': 'false',
      'key.converter.schemas.enable': 'false',
      ...more,
    },
  })
  await service.register(SCHEMA, {
    ...config,
    'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
  })
  await service.waitForLog(/Connected to binlog at/)
}

export function sizeOf(folder: string): number {
  return readdirSync(folder)
    .map((file) => statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0)
}

/** Nothing is written: the server has sent everything to the connector, and the spool does not grow any more. */
async function untilRead(database: DatabaseServer, folder: string): Promise<void> {
  await eventually(
    'the spool has the last transaction',
    async () => {
      const threads = await database.query('SHOW FULL PROCESSLIST')
      assert.ok(
        threads.some((thread) => / has sent all binlog to /.test(String(thread['State']))),
        threads.map((thread) => String(thread['State'])).join(', '),
      )
      const before = sizeOf(folder)
      await sleep(300)
      return sizeOf(folder) === before
    },
    { timeoutMs: 60_000 },
  )
}

/** Purges as the server does when the time of its files is over. */
class Purger {
  readonly #database: DatabaseServer

  constructor(database: DatabaseServer) {
    this.#database = database
  }

  async files(): Promise<readonly string[]> {
    const rows = await this.#database.query('SHOW BINARY LOGS')
    return rows.map((row) => String(row['Log_name']))
  }

  async currentFile(): Promise<string> {
    return present((await this.files()).at(-1), 'a binlog file')
  }

  /** Everything before a new file. A file that a dump still reads remains, so this is tried until it is gone. */
  async purge(): Promise<void> {
    const before = await this.currentFile()
    await this.#database.query('FLUSH BINARY LOGS')
    const current = await this.currentFile()
    await eventually(`${before} is purged`, async () => {
      await this.#database.query(`PURGE BINARY LOGS TO '${current}'`)
      return !(await this.files()).includes(before)
    })
  }
}
