import type { LossForecast, LossProbe, OffsetDocument } from '@tributary/connect-api'
import { present, silentLogger, systemClock } from '@tributary/support'
import { databaseAccounts, eventually, type DatabaseServer } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { mariadbKind, mysqlKind } from '../connector-kind.ts'
import { readFileStart } from '../flavor/file-created.ts'
import { createLossProbe } from '../loss-probe.ts'

/** A server of a test, and a probe that measures how long it keeps its binlog. */
export class ProbedServer {
  readonly server: DatabaseServer
  readonly #probe: LossProbe

  private constructor(server: DatabaseServer) {
    this.server = server
    this.#probe = this.#createProbe(databaseAccounts.root)
  }

  static async of(server: DatabaseServer): Promise<ProbedServer> {
    await server.query('CREATE DATABASE d')
    await server.query('CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT, v LONGBLOB)')
    return new ProbedServer(server)
  }

  async insert(bytes = 1): Promise<void> {
    await this.server.query(`INSERT INTO d.t (v) VALUES (REPEAT('x', ${bytes}))`)
  }

  /** The end of the binlog as a stored offset, as the server itself reports it. */
  async offset(): Promise<Record<string, string | number>> {
    const isMariaDb = this.server.flavor === 'mariadb'
    const [row] = await this.server.query(isMariaDb ? 'SHOW MASTER STATUS' : 'SHOW BINARY LOG STATUS')
    const [variables] = await this.server.query(
      `SELECT ${isMariaDb ? '@@gtid_binlog_pos' : '@@gtid_executed'} AS gtids, UNIX_TIMESTAMP() AS now`,
    )
    const gtids = variables?.['gtids']
    return {
      file: String(row?.['File']),
      pos: Number(row?.['Position']),
      ts_sec: Number(variables?.['now']),
      ...(typeof gtids === 'string' && gtids !== '' ? { gtids } : {}),
    }
  }

  /** The part of an offset that identifies the binlog. */
  async proof(file: string): Promise<Record<string, string | number>> {
    const [row] = await this.server.query('SELECT @@server_uuid AS identity')
    const start = await readFileStart(
      { flavor: { name: this.server.flavor }, connection: this.#options, clock: systemClock },
      file,
      AbortSignal.timeout(20_000),
    )
    return { server_identity: String(row?.['identity']), file_created: start?.createdSeconds ?? 0 }
  }

  measure(offset: OffsetDocument): Promise<LossForecast> {
    return this.#probe.measure(() => offset, AbortSignal.timeout(30_000))
  }

  measureAs(account: { user: string; password: string }, offset: OffsetDocument): Promise<LossForecast> {
    return this.#createProbe(account).measure(() => offset, AbortSignal.timeout(30_000))
  }

  /** Lets the server begin new files until it has purged that one. Returns when that was, in ms since 1970. */
  async purgeByFlushing(file: string): Promise<number> {
    return eventually(
      `the server has purged ${file}`,
      async () => {
        await this.server.query('FLUSH BINARY LOGS')
        const files = await this.server.query('SHOW BINARY LOGS')
        return files.some((row) => row['Log_name'] === file) ? undefined : systemClock.now()
      },
      { timeoutMs: 120_000, everyMs: 200 },
    )
  }

  /** Another probe, which has measured nothing yet. */
  probe(): LossProbe {
    return this.#createProbe(databaseAccounts.root)
  }

  get #options(): Parameters<typeof readFileStart>[0]['connection'] {
    return {
      host: this.server.host,
      port: this.server.port,
      ...databaseAccounts.root,
      tls: { mode: 'preferred' },
      connectTimeoutMs: 10_000,
      logger: silentLogger,
    }
  }

  #createProbe({ user, password }: { user: string; password: string }): LossProbe {
    const kind = this.server.flavor === 'mariadb' ? mariadbKind : mysqlKind
    const config = {
      name: 'a connector',
      'topic.prefix': 'p',
      'database.hostname': this.server.host,
      'database.port': String(this.server.port),
      'database.user': user,
      'database.password': password,
      'database.server.id': '4711',
    }
    return createLossProbe(kind, config, { clock: systemClock, logger: silentLogger })
  }
}

/**
 * Lets the server purge a file as soon as it can, and checks the prediction.
 *
 * @param keptSeconds for which the server keeps a closed file
 */
export async function checkEarliest(server: DatabaseServer, keptSeconds: number): Promise<void> {
  const subject = await ProbedServer.of(server)
  await subject.insert()
  const offset = await subject.offset()
  const writing = await subject.measure(offset)
  await subject.insert()
  await server.query('FLUSH BINARY LOGS')
  const closed = await subject.measure(offset)
  const goneMs = await subject.purgeByFlushing(String(offset['file']))
  const lost = await subject.measure(offset)

  assert.deepEqual(
    [writing, closed, lost].map(({ state, isRunningOut, neededFile }) => [state, isRunningOut, neededFile]),
    [
      ['kept', false, offset['file']],
      ['kept', true, offset['file']],
      ['lost', false, offset['file']],
    ],
  )
  assert.equal(closed.retentionSeconds, keptSeconds)
  const lateMs = goneMs - present(closed.earliestMs, 'the earliest moment')
  // Whole seconds of file times on one side, and the pauses between two flushes on the other.
  assert.ok(lateMs > -50 && lateMs < 2000, `the server purged the file ${lateMs} ms after the earliest moment`)
  assert.match(lost.problem ?? '', /no longer available.* remove its offsets .* Raise binlog_expire_logs_seconds/)
}
