import { MySqlConnection } from '@tributary/mysql'
import { present, silentLogger } from '@tributary/support'
import { databaseAccounts, eventually, startMariaDb, startMySql, type DatabaseServer } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StreamPosition } from '../offset/stream-position.ts'
import type { Flavor, MissingPosition } from './flavor.ts'
import { mariadbFlavor } from './mariadb-flavor.ts'
import { mysqlFlavor } from './mysql-flavor.ts'

/** A server and a connection to it. */
class Subject implements AsyncDisposable {
  readonly flavor: Flavor
  readonly server: DatabaseServer
  readonly #connection: MySqlConnection

  private constructor(flavor: Flavor, server: DatabaseServer, connection: MySqlConnection) {
    this.flavor = flavor
    this.server = server
    this.#connection = connection
  }

  static async start(flavor: Flavor, server: DatabaseServer): Promise<Subject> {
    await server.query('CREATE DATABASE d')
    await server.query('CREATE TABLE d.t (id INT PRIMARY KEY AUTO_INCREMENT)')
    const connection = await MySqlConnection.open({
      host: server.host,
      port: server.port,
      ...databaseAccounts.root,
      tls: { mode: 'preferred' },
      connectTimeoutMs: 10_000,
      logger: silentLogger,
    })
    return new Subject(flavor, server, connection)
  }

  info(): ReturnType<Flavor['readServerInfo']> {
    return this.flavor.readServerInfo(this.#connection)
  }

  /** The end of the binlog as a stored position. */
  async position(): Promise<StreamPosition> {
    const { file, position, gtids } = await this.flavor.readPosition(this.#connection, await this.info())
    return present(StreamPosition.parse({ file, pos: position, gtids: gtids?.toString() ?? null }), 'a position')
  }

  async missing(position: StreamPosition): Promise<MissingPosition | null> {
    return this.flavor.findMissing(this.#connection, position, await this.info())
  }

  async insert(): Promise<void> {
    await this.server.query('INSERT INTO d.t () VALUES ()')
  }

  /** Starts a new file and purges those before it. Returns its name. */
  async purge(): Promise<string> {
    await this.server.query('FLUSH BINARY LOGS')
    const { file } = await this.position()
    // MariaDB keeps a file until the engines have persisted its transactions, a moment later.
    return eventually(`${file} is the oldest`, async () => {
      await this.server.query(`PURGE BINARY LOGS TO '${file}'`)
      const [oldest] = await this.server.query('SHOW BINARY LOGS')
      return oldest?.['Log_name'] === file && file
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]()
  }
}

test('MySQL without GTIDs: a position is missing when its file is purged', async () => {
  await using server = await startMySql({ gtid: false })
  await using subject = await Subject.start(mysqlFlavor, server)
  const info = await subject.info()
  const [major = 0, minor = 0, patch = 0] = server.version.split('.').map((part) => Number.parseInt(part, 10))
  assert.deepEqual([info.versionNumber, info.hasGtids], [major * 10_000 + minor * 100 + patch, false])

  const stored = await subject.position()
  const [status] = await server.query('SHOW BINARY LOG STATUS')
  assert.deepEqual([stored.file, stored.position, stored.gtids], [status?.['File'], Number(status?.['Position']), null])
  assert.equal(await subject.missing(stored), null)
  const oldest = await subject.purge()
  assert.deepEqual(await subject.missing(stored), {
    needed: `the binlog file ${stored.file}`,
    available: `the oldest file of the server is ${oldest}`,
    lacking: null,
  })
})

test('MySQL with GTIDs: a position is missing with purged transactions after it, or without those before it', async () => {
  await using server = await startMySql({ gtid: true })
  await using subject = await Subject.start(mysqlFlavor, server)
  const { hasGtids, serverUuid } = await subject.info()
  assert.equal(hasGtids, true)
  await subject.insert()
  const stored = await subject.position()
  const [row] = await server.query('SELECT @@global.gtid_executed AS gtids')
  assert.equal(stored.gtids, row?.['gtids'])

  await subject.purge()
  assert.equal(await subject.missing(stored), null, 'the file is purged, but no transaction after the position')
  await subject.insert()
  const oldest = await subject.purge()
  const executed = Number(/-(\d+)$/.exec(present(stored.gtids, 'GTIDs'))?.[1])
  assert.deepEqual(await subject.missing(stored), {
    needed: `the transactions ${serverUuid}:${executed + 1}`,
    available: `the server has purged ${serverUuid}:1-${executed + 1}; its oldest binlog file is ${oldest}`,
    lacking: null,
  })

  await server.query('RESET BINARY LOGS AND GTIDS')
  await subject.insert()
  assert.deepEqual(await subject.missing(stored), {
    needed: `a server that has executed the GTIDs ${serverUuid}:2-${executed}`,
    available: `this one has executed ${serverUuid}:1: it is another server, or it lagged when it took over`,
    lacking: `${serverUuid}:2-${executed}`,
  })
})

test('MariaDB: a position is missing with purged transactions after it, or without those before it', async () => {
  await using server = await startMariaDb()
  await using subject = await Subject.start(mariadbFlavor, server)
  const info = await subject.info()
  assert.deepEqual([info.versionNumber >= 101_100, info.hasGtids], [true, true])
  await subject.insert()
  const stored = await subject.position()
  const [row] = await server.query('SELECT @@global.gtid_binlog_pos AS gtids')
  assert.equal(stored.gtids, row?.['gtids'])
  assert.equal(await subject.missing(stored), null)

  await subject.purge()
  assert.equal(await subject.missing(stored), null, 'the file is purged, but no transaction after the position')
  await subject.insert()
  const oldest = await subject.purge()
  const now = await subject.position()
  assert.deepEqual(await subject.missing(stored), {
    needed: `the transactions after GTID ${stored.gtids}`,
    available: `the oldest file of the server, ${oldest}, starts after GTID ${now.gtids}`,
    lacking: null,
  })
  assert.deepEqual(
    await subject.missing(present(StreamPosition.parse({ file: stored.file, pos: stored.position }), 'a position')),
    {
      needed: `the binlog file ${stored.file}`,
      available: `the oldest file of the server is ${oldest}`,
      lacking: null,
    },
  )

  // Rebuilt: its first file has the name of the old one, and MariaDB itself would send it from the start.
  await server.query('RESET MASTER')
  const needed = `a server that has logged GTID ${stored.gtids}`
  const fresh = await subject.missing(stored)
  assert.deepEqual([fresh?.needed, fresh?.lacking], [needed, stored.gtids])
  assert.match(fresh?.available ?? '', /^this one has logged none: it is another server/)
  await subject.insert()
  const restarted = await subject.missing(stored)
  assert.equal(restarted?.needed, needed)
  assert.match(restarted?.available ?? '', /^this one has logged GTID 0-\d+-1: /)
})

test('reading the position of a server without a binlog fails with BINLOG_POSITION_UNKNOWN', async () => {
  await using server = await startMariaDb({ args: ['--skip-log-bin'] })
  await using subject = await Subject.start(mariadbFlavor, server)
  await assert.rejects(subject.position(), { code: 'BINLOG_POSITION_UNKNOWN' })
})
