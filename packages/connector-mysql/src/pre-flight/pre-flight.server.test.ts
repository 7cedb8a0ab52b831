/**
 * Each finding of the pre-flight, caused on real servers: the whole text as a user reads it. Then the test runs the
 * printed statement unchanged, after which the finding must be gone.
 */
import { BinlogStream } from '@tributary/mysql'
import { silentLogger } from '@tributary/support'
import {
  type DatabaseServer,
  eventually,
  freePort,
  fullTest,
  ownAddress,
  startFaultProxy,
  startMariaDb,
  startMySql,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { checkConnector, type CheckReport } from '../check-connector.ts'

type Config = Readonly<Record<string, string>>

/** The privileges that the documentation requires, under names that both servers accept. */
const GRANTS = ['SELECT', 'RELOAD', 'SHOW DATABASES', 'REPLICATION SLAVE', 'REPLICATION CLIENT']
/** A name that needs its quotes. */
const USER = 'c`d c'
const ACCOUNT = '`c``d c`@`127.0.0.1`'

/** A server with a table to capture, and a user with the privileges for it. */
class Subject implements AsyncDisposable {
  readonly server: DatabaseServer
  readonly address: string
  readonly #config: Config

  constructor(server: DatabaseServer) {
    this.server = server
    this.address = `127.0.0.1:${server.port}`
    this.#config = {
      name: 'pre-flight',
      'connector.class': server.flavor === 'mariadb' ? 'MariaDbConnector' : 'MySqlConnector',
      'database.hostname': server.host,
      'database.port': String(server.port),
      'database.user': USER,
      'database.password': 'secret',
      'database.server.id': '77',
      'database.include.list': 'inv',
      'topic.prefix': 'p',
      'schema.history.internal.kafka.bootstrap.servers': '127.0.0.1:1',
      'schema.history.internal.kafka.topic': 'h',
    }
  }

  async prepare(): Promise<void> {
    const grants = GRANTS.map((privilege) => `GRANT ${privilege} ON *.* TO ${ACCOUNT};`).join('')
    await this.server.query(
      `CREATE DATABASE inv; CREATE TABLE inv.t (id INT PRIMARY KEY); CREATE DATABASE far_off; CREATE TABLE far_off.t (id INT PRIMARY KEY); CREATE USER ${ACCOUNT} IDENTIFIED BY 'secret'; ${grants}`,
    )
  }

  check(changes: Config = {}, isNew = true, limitMs = 60_000): Promise<CheckReport> {
    return checkConnector({ ...this.#config, ...changes }, { isNew, limitMs })
  }

  /** The findings as lines: severity, code, property, text. */
  async findings(changes: Config = {}, isNew = true): Promise<readonly string[]> {
    return linesOf(await this.check(changes, isNew))
  }

  /** Causes the expected findings, runs the statements that they print, and expects no findings afterwards. */
  async provoke(sql: string, expected: readonly string[], changes: Config = {}): Promise<void> {
    if (sql !== '') await this.server.query(sql)
    const report = await this.check(changes)
    assert.deepEqual(linesOf(report), expected)
    for (const { statement, message } of report.findings) {
      assert.ok(statement !== null && message.includes(statement), message)
      await this.server.query(statement)
    }
    assert.deepEqual(await this.findings(changes), [])
  }

  async restart(...args: readonly string[]): Promise<void> {
    await this.server.stop()
    await this.server.start(args)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server[Symbol.asyncDispose]()
  }
}

function linesOf({ findings }: CheckReport): readonly string[] {
  return findings.map(({ severity, code, property, message }) => `${severity} ${code} ${property}: ${message}`)
}

const BACKSLASH = '\\'
const OPEN_SESSIONS = 'sessions that are open keep'
const FILE = 'into the section [mysqld] of its configuration file'

const rowImage = (address: string, value: string): string =>
  `warning BINLOG_ROW_IMAGE database.hostname: The server ${address} leaves columns out of the rows in its binlog (binlog_row_image=${value}). Events of updates and deletes contain unavailable.value.placeholder instead of texts and bytes that are missing. Numbers, dates and times have no placeholder: if the image before a change lacks one, \`before\` is null; if the image after it lacks one, the task fails. Run: SET GLOBAL binlog_row_image = 'FULL'; and write binlog_row_image=FULL ${FILE}; ${OPEN_SESSIONS} the old image until they are ended. Or let the post processor io.debezium.processors.reselect.ReselectColumnsPostProcessor read the columns again.`

/** Tests for both servers. */
function commonTests(subject: () => Subject): void {
  test('without findings, the report has the server, the tables and an estimate of the snapshot', async () => {
    const { server, findings, checks, tables, snapshot } = await subject().check()
    assert.deepEqual(findings, [])
    assert.equal(server?.address, subject().address)
    assert.equal(server.flavor, subject().server.flavor)
    assert.equal(server.version, subject().server.version)
    assert.deepEqual(
      tables.map(({ database, table }) => `${database}.${table}`),
      ['inv.t'],
    )
    assert.equal(snapshot?.tables, 1)
    assert.ok(checks.length > 15)
  })

  test('settings of the binlog', async () => {
    const it = subject()
    await it.provoke("SET GLOBAL binlog_format = 'STATEMENT'", [
      `error BINLOG_FORMAT database.hostname: The database server is not configured to use a ROW binlog_format, which is required for this connector to work properly (it is STATEMENT). Run: SET GLOBAL binlog_format = 'ROW'; and write binlog_format=ROW ${FILE}; ${OPEN_SESSIONS} the old format until they are ended.`,
    ])
    await it.provoke("SET GLOBAL binlog_row_image = 'NOBLOB'", [rowImage(it.address, 'NOBLOB')])
    await it.provoke('SET GLOBAL binlog_expire_logs_seconds = 7200', [
      `warning RETENTION_SHORT database.hostname: The server ${it.address} removes its binlog after 2 hours (binlog_expire_logs_seconds): a connector that is stopped or cannot reach it for longer loses changes and needs a new snapshot. Run: SET GLOBAL binlog_expire_logs_seconds = 259200; and write binlog_expire_logs_seconds=259200 ${FILE}. Take more than the longest outage that you want to survive.`,
    ])
  })

  test('privileges, each by its name', async () => {
    const it = subject()
    const position = it.server.flavor === 'mysql' ? 'REPLICATION CLIENT' : 'BINLOG MONITOR'
    await it.provoke(`REVOKE REPLICATION SLAVE ON *.* FROM ${ACCOUNT}`, [
      `error PRIVILEGE_REPLICATION_SLAVE database.user: The user ${ACCOUNT} may not read the binlog of ${it.address}: the privilege REPLICATION SLAVE is missing. Run: GRANT REPLICATION SLAVE ON *.* TO ${ACCOUNT};`,
    ])
    await it.provoke(`REVOKE REPLICATION CLIENT ON *.* FROM ${ACCOUNT}`, [
      `error PRIVILEGE_REPLICATION_CLIENT database.user: The user ${ACCOUNT} may not ask ${it.address} for the position of its binlog: the privilege ${position} is missing. Run: GRANT ${position} ON *.* TO ${ACCOUNT};`,
    ])
    await it.provoke(`REVOKE SHOW DATABASES ON *.* FROM ${ACCOUNT}`, [
      `error PRIVILEGE_SHOW_DATABASES database.user: The user ${ACCOUNT} may not list the databases of ${it.address}, which has skip_show_database on: the privilege SHOW DATABASES is missing. Run: GRANT SHOW DATABASES ON *.* TO ${ACCOUNT};`,
    ])
    await it.provoke(`REVOKE RELOAD ON *.* FROM ${ACCOUNT}`, [
      `warning SNAPSHOT_WITHOUT_LOCK database.user: ${ACCOUNT} has neither RELOAD nor LOCK TABLES on inv at ${it.address}, so the snapshot takes no lock, as with snapshot.locking.mode=none: rows are copied in chunks while the stream runs. To read all tables as of one moment, run: GRANT RELOAD ON *.* TO ${ACCOUNT};`,
    ])
    await it.provoke(
      `REVOKE RELOAD ON *.* FROM ${ACCOUNT}`,
      [
        `error PRIVILEGE_LOCK database.user: User does not have the 'LOCK TABLES' privilege required to obtain a consistent snapshot by preventing concurrent writes to tables: ${ACCOUNT} has neither RELOAD nor LOCK TABLES on inv at ${it.address}, and snapshot.locking.mode=extended needs one of them. Run: GRANT RELOAD ON *.* TO ${ACCOUNT}; or set snapshot.locking.mode=none.`,
      ],
      { 'snapshot.locking.mode': 'extended' },
    )
    const denied = `error PRIVILEGE_SELECT database.user: The user ${ACCOUNT} may not read`
    const run = 'the privilege SELECT is missing. Run:'
    await it.provoke(`REVOKE SELECT ON *.* FROM ${ACCOUNT}; GRANT INSERT ON inv.* TO ${ACCOUNT}`, [
      `${denied} inv.t on ${it.address}: ${run} GRANT SELECT ON \`inv\`.\`t\` TO ${ACCOUNT};`,
    ])
    // A privilege on columns suffices.
    await it.server.query(`REVOKE SELECT ON inv.t FROM ${ACCOUNT}; GRANT SELECT (id) ON inv.t TO ${ACCOUNT}`)
    assert.deepEqual(await it.findings(), [])
    // SHOW DATABASES lists the database, but its tables are hidden.
    await it.provoke(
      '',
      [
        `${denied} the database far_off on ${it.address}: ${run} GRANT SELECT ON \`far${BACKSLASH}_off\`.* TO ${ACCOUNT};`,
      ],
      { 'database.include.list': 'far_off,inv' },
    )
    await it.server.query(`REVOKE SELECT ON \`far${BACKSLASH}_off\`.* FROM ${ACCOUNT}`)
    await it.provoke(
      `GRANT INSERT ON far_off.* TO ${ACCOUNT}`,
      [`${denied} far_off.t on ${it.address}: ${run} GRANT SELECT ON \`far_off\`.\`t\` TO ${ACCOUNT};`],
      { 'database.include.list': 'far_off,inv', 'table.include.list': 'far_off.t,inv.t' },
    )
    await it.server.query(`REVOKE INSERT ON far_off.* FROM ${ACCOUNT}`)
    await it.server.query(`GRANT SELECT ON *.* TO ${ACCOUNT}`)
  })

  test('without a snapshot, or without locks, their privileges are not required', async () => {
    const it = subject()
    await it.server.query(`REVOKE SELECT, RELOAD ON *.* FROM ${ACCOUNT}`)
    assert.deepEqual(await it.findings({}, false), [])
    // Rebuilding the history needs no lock.
    assert.deepEqual(await it.findings({ 'snapshot.mode': 'recovery' }), [])
    await it.server.query(`GRANT SELECT ON *.* TO ${ACCOUNT}`)
    assert.deepEqual(await it.findings({ 'snapshot.locking.mode': 'none' }), [])
    await it.server.query(`GRANT LOCK TABLES ON inv.* TO ${ACCOUNT}`)
    assert.deepEqual(await it.findings(), [])
    await it.server.query(`REVOKE LOCK TABLES ON inv.* FROM ${ACCOUNT}; GRANT RELOAD ON *.* TO ${ACCOUNT}`)
  })

  test('databases that no list names, and names that may not exist, cause no errors', async () => {
    const it = subject()
    const { server } = it
    // A user with privileges on the captured database only, who sees the names of the others.
    const account = `few@'127.0.0.1'`
    await server.query(
      `CREATE USER ${account} IDENTIFIED BY 'secret'; GRANT SELECT, LOCK TABLES ON inv.* TO ${account}`,
    )
    await server.query(`GRANT SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO ${account}`)
    const find = async (changes: Config): Promise<readonly string[]> => {
      const found = await it.findings({ 'database.user': 'few', 'database.include.list': '', ...changes })
      return found.map((line) => line.split(': ')[0] ?? '')
    }
    assert.deepEqual(await find({ 'table.include.list': String.raw`inv\.t` }), [])
    assert.deepEqual(await find({ 'table.include.list': 'INV.T' }), [])
    assert.deepEqual(await find({ 'database.include.list': 'INV' }), [])
    assert.deepEqual(await find({ 'table.exclude.list': String.raw`far_off\..*` }), [])
    assert.deepEqual(await find({}), ['warning PRIVILEGE_SELECT database.user'])
    assert.deepEqual(await find({ 'database.include.list': 'inv,later' }), [
      'warning INCLUDES_UNMATCHED database.include.list',
    ])
    const error = ['error PRIVILEGE_SELECT database.user', 'warning SNAPSHOT_WITHOUT_LOCK database.user']
    assert.deepEqual(await find({ 'database.include.list': 'inv,far_off' }), error)
    assert.deepEqual(await find({ 'table.include.list': 'far_off.t' }), error)

    await server.query(`SET GLOBAL sql_mode = 'ANSI_QUOTES'`)
    assert.deepEqual(await find({ 'database.include.list': 'inv' }), [])
    await server.query(`SET GLOBAL sql_mode = DEFAULT; DROP USER ${account}`)
  })

  test('a role that the initial statements activate counts', async () => {
    const it = subject()
    await it.server.query(
      `CREATE ROLE reader; GRANT SELECT, LOCK TABLES ON inv.* TO reader; CREATE USER taker@'127.0.0.1' IDENTIFIED BY 'secret'`,
    )
    await it.server.query(
      `GRANT REPLICATION SLAVE, REPLICATION CLIENT, SHOW DATABASES ON *.* TO taker@'127.0.0.1'; GRANT reader TO taker@'127.0.0.1'`,
    )
    const user = { 'database.user': 'taker' }
    assert.notDeepEqual(await it.findings(user), [])
    assert.deepEqual(await it.findings({ ...user, 'database.initial.statements': 'SET ROLE reader' }), [])
  })

  test('privileges of a role that is active', async () => {
    const it = subject()
    await it.server.query(`CREATE ROLE capture; CREATE USER byrole@'127.0.0.1' IDENTIFIED BY 'secret'`)
    for (const privilege of GRANTS) await it.server.query(`GRANT ${privilege} ON *.* TO capture`)
    const link = it.server.flavor === 'mysql' ? 'TO' : 'FOR'
    await it.server.query(`GRANT capture TO byrole@'127.0.0.1'; SET DEFAULT ROLE capture ${link} byrole@'127.0.0.1'`)
    assert.deepEqual(await it.findings({ 'database.user': 'byrole' }), [])
  })

  test('tables: no table matches, and a table without a key', async () => {
    const it = subject()
    const unmatched = (property: string, kind: string, entries: string, [query, form]: [string, string]): string =>
      `warning INCLUDES_UNMATCHED ${property}: No ${kind} that ${ACCOUNT} may see on ${it.address} matches ${entries} of ${property}. An entry is a regular expression for the whole of ${form}; compare it with the result of ${query}, run as that user. A ${kind} that is created later is captured when it matches.`
    assert.deepEqual(await it.findings({ 'database.include.list': 'inv,imv' }), [
      unmatched('database.include.list', 'database', 'imv', ['SHOW DATABASES', 'the name of a database']),
    ])
    assert.deepEqual(await it.findings({ 'table.include.list': String.raw`inv\.x.*,inv.t` }), [
      unmatched('table.include.list', 'table', String.raw`inv\.x.*`, ['SHOW TABLES', 'database.table']),
    ])
    assert.deepEqual(await it.findings({ 'table.exclude.list': 'inv.*' }), [
      `warning NOTHING_CAPTURED table.include.list: The include and exclude lists match no table that ${ACCOUNT} may see on ${it.address}. Compare database.include.list and table.include.list with the results of SHOW DATABASES and SHOW TABLES, run as that user. A table that is created later is captured when it matches.`,
    ])
    await it.provoke('CREATE TABLE inv.u (id INT UNIQUE); CREATE TABLE inv.v (id INT NOT NULL UNIQUE)', [
      'warning TABLE_WITHOUT_KEY table.include.list: No primary key and no unique key without NULLs: inv.u. Events of such tables have no key, so they spread over partitions without order, and compaction keeps none of them. Give them a key, for instance: ALTER TABLE `inv`.`u` ADD COLUMN row_id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY; or exclude them by table.exclude.list.',
    ])
    await it.server.query('DROP TABLE inv.u, inv.v')
  })

  test('columns of the types that only this server has', async () => {
    const it = subject()
    const own = it.server.flavor === 'mysql' ? 'p POINT, v VECTOR(3)' : 'p UUID, v INET6, w TEXT COMPRESSED'
    await it.provoke(`CREATE TABLE inv.w (id INT PRIMARY KEY, d VARBINARY(9), ${own})`, [])
    await it.server.query('DROP TABLE inv.w')
  })

  test('ids of servers', async () => {
    const it = subject()
    const [row] = await it.server.query('SELECT @@global.server_id AS id')
    const id = String(row?.['id'])
    assert.deepEqual(await it.findings({ 'database.server.id': id }), [
      `warning SERVER_ID_TAKEN database.server.id: The server ${it.address} has database.server.id=${id} in use by that server itself. If that is not this connector itself, nor one that ended a minute ago: choose a number for database.server.id that no replica, no other connector and no server has. Otherwise the two end each other’s connections.`,
    ])
  })

  test('a time zone property without effect', async () => {
    const it = subject()
    assert.deepEqual(await it.findings({ 'database.connectionTimeZone': 'Europe/Berlin' }), [
      'warning TIME_ZONE_IGNORED database.connectionTimeZone: database.connectionTimeZone=Europe/Berlin has no effect: TIMESTAMP columns are read as instants, whatever the time zone of the server (it is SYSTEM, UTC) or of a session, and DATETIME columns have no zone. Remove the property.',
    ])
  })

  test('statements of rows that the server does not log, and values in them that others hide', async () => {
    const it = subject()
    const variable = it.server.flavor === 'mysql' ? 'binlog_rows_query_log_events' : 'binlog_annotate_row_events'
    const asked = { 'include.query': 'true' }
    await it.server.query(`SET GLOBAL ${variable} = OFF`)
    assert.deepEqual(await it.findings({}), [])
    assert.deepEqual(await it.findings(asked), [
      `warning QUERIES_NOT_LOGGED include.query: The server ${it.address} does not write the statements of row changes to its binlog (${variable}=OFF), so source.query of events is null although include.query=true. Run: SET GLOBAL ${variable} = ON; and write ${variable}=ON into the section [mysqld] of its configuration file; sessions that are open keep the setting until they are ended.`,
    ])
    await it.server.query(`SET GLOBAL ${variable} = ON`)
    assert.deepEqual(await it.findings(asked), [])
    assert.deepEqual(await it.findings({ ...asked, 'column.exclude.list': 'inv.t.secret' }), [
      'warning QUERIES_SHOW_HIDDEN include.query: With include.query=true, source.query of events contains statements in full, and in them also the values of columns that column.exclude.list hides. Remove include.query, unless all consumers may see those values.',
    ])
    await it.server.query(`SET GLOBAL ${variable} = DEFAULT`)
  })

  test('an unreachable database, one that does not answer, an unknown user, and an invalid configuration', async () => {
    const it = subject()
    const port = String(await freePort())
    assert.deepEqual(await it.findings({ 'database.port': port, converters: 'x' }), [
      "error CONFIG_INVALID x.type: The 'x.type' value is invalid: A value is required: the class of the converter x, which 'converters' names.",
      `error MYSQL_UNREACHABLE database.hostname: Unable to connect to the database at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}. Check database.hostname and database.port, that the server runs, and that a firewall lets this host in.`,
    ])
    assert.deepEqual(await it.findings({ 'database.password': 'wrong' }), [
      `error MYSQL_ACCESS_DENIED database.hostname: Unable to connect: Access denied for user '${USER}'@'127.0.0.1' (using password: YES) (database ${it.address}; check database.user and database.password, and that the user may log in from this host)`,
    ])
    await using proxy = await startFaultProxy({ target: it.server })
    proxy.stall()
    const { findings, server } = await it.check({ 'database.port': String(proxy.port) }, true, 300)
    assert.equal(server, null)
    assert.deepEqual(
      findings.map(({ message }) => message),
      [
        `Unable to connect to the database at 127.0.0.1:${proxy.port}: the program there accepted the connection, but sent nothing within 0.24 s, and a MySQL server sends first. Check database.hostname and database.port, that the server runs, and that a firewall lets this host in.`,
      ],
    )
  })

  fullTest('findings that a restart of the server fixes: the binlog is off, or omits databases', async () => {
    const it = subject()
    await it.restart('--skip-log-bin')
    const [line = '', ...others] = await it.findings()
    assert.equal(
      line,
      `error BINLOG_OFF database.hostname: The server ${it.address} writes no binary log (log_bin=OFF), so there is nothing to capture changes from. It cannot be switched on while the server runs: write the lines log_bin=binlog and server_id=1 (a number of its own) ${FILE}, remove skip-log-bin and disable-log-bin from it, and restart the server.`,
    )
    assert.deepEqual(others, [])
    await it.restart('--log-bin=binlog', '--server-id=1', '--binlog-ignore-db=inv', '--binlog-ignore-db=other')
    assert.deepEqual(await it.findings(), [
      `warning BINLOG_FILTERED database.include.list: The server ${it.address} does not write changes of inv to its binlog (binlog_ignore_db=inv, binlog_ignore_db=other): they are in the snapshot, and are not captured after it. Remove those lines from the section [mysqld] of its configuration file and restart the server, or exclude the databases by database.exclude.list.`,
    ])
    await it.restart('--log-bin=binlog', '--server-id=1')
    assert.deepEqual(await it.findings(), [])
  })
}

describe('the pre-flight of MySQL', () => {
  let it: Subject

  before(async () => {
    it = new Subject(await startMySql({ args: ['--skip-show-database'] }))
    await it.prepare()
  })
  after(() => it[Symbol.asyncDispose]())

  commonTests(() => it)

  test('PARTIAL_JSON, which only MySQL has', async () => {
    await it.provoke("SET GLOBAL binlog_row_value_options = 'PARTIAL_JSON'", [])
    await it.provoke("SET GLOBAL binlog_row_image = 'MINIMAL'", [
      rowImage(it.address, 'MINIMAL'),
      `warning BINLOG_PARTIAL_JSON database.hostname: The server ${it.address} writes updates of JSON columns as differences (binlog_row_value_options=PARTIAL_JSON) and leaves out the documents that they refer to (binlog_row_image=MINIMAL): events contain unavailable.value.placeholder instead of documents that JSON_SET, JSON_REPLACE and JSON_REMOVE have changed. Run: SET GLOBAL binlog_row_value_options = ''; and remove binlog_row_value_options from the section [mysqld] of its configuration file; ${OPEN_SESSIONS} the option until they are ended.`,
    ])
  })

  test('GTIDs that are off, or partly on', async () => {
    const text = (mode: string, steps: string): string =>
      `warning GTID_OFF database.hostname: The server ${it.address} writes no GTIDs (gtid_mode=${mode}): when it fails and a replica takes over, the connector cannot find its position there and needs a new snapshot. Run, one after the other: SET GLOBAL enforce_gtid_consistency = ON; ${steps}SET GLOBAL gtid_mode = ON; and write gtid_mode=ON and enforce_gtid_consistency=ON ${FILE}. Statements that GTIDs do not allow are refused from then on; enforce_gtid_consistency=WARN shows them beforehand.`
    await it.provoke('SET GLOBAL gtid_mode = ON_PERMISSIVE', [text('ON_PERMISSIVE', '')])
    await it.provoke(
      'SET GLOBAL gtid_mode = ON_PERMISSIVE; SET GLOBAL gtid_mode = OFF_PERMISSIVE; SET GLOBAL gtid_mode = OFF; SET GLOBAL enforce_gtid_consistency = OFF',
      [text('OFF', 'SET GLOBAL gtid_mode = OFF_PERMISSIVE; SET GLOBAL gtid_mode = ON_PERMISSIVE; ')],
    )
  })

  test('a server without an id', async () => {
    await it.provoke('SET GLOBAL server_id = 0', [
      `error SERVER_ID_ZERO database.hostname: The server ${it.address} has server_id=0 and sends its binlog to no replica. Run: SET GLOBAL server_id = 1; with a number that none of its replicas has, and write it ${FILE}.`,
    ])
  })

  test('a replica with the id of the connector', async () => {
    const replicaUuid = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
    const stream = await BinlogStream.open({
      connection: {
        host: it.server.host,
        port: it.server.port,
        user: USER,
        password: 'secret',
        connectTimeoutMs: 10_000,
        tls: { mode: 'preferred' },
        logger: silentLogger,
      },
      decodeStatement: (bytes, start, end) => bytes.utf8Slice(start, end),
      dump: {
        flavor: 'mysql',
        start: {
          tag: 'position',
          file: String((await it.server.query('SHOW BINARY LOGS'))[0]?.['Log_name']),
          position: 4,
        },
        serverId: 77,
        replicaUuid,
        heartbeatMs: 1000,
        wantsStatements: false,
      },
    })
    try {
      assert.deepEqual(await it.findings(), [
        `warning SERVER_ID_TAKEN database.server.id: The server ${it.address} has database.server.id=77 in use by a replica that reports no host, with the UUID ${replicaUuid}. If that is not this connector itself, nor one that ended a minute ago: choose a number for database.server.id that no replica, no other connector and no server has. Otherwise the two end each other’s connections.`,
      ])
      assert.deepEqual(await it.findings({ 'database.server.id': '78' }), [])
    } finally {
      await stream.close()
    }
    // The server notices the closed connection when it sends the next heartbeat.
    await eventually('the replica is no longer registered', async () => (await it.findings()).length === 0)
  })

  test('a server that accepts encrypted connections only', async () => {
    await it.server.query('SET GLOBAL require_secure_transport = ON')
    assert.deepEqual(await it.findings({ 'database.ssl.mode': 'disabled' }), [
      `error TLS_REQUIRED database.ssl.mode: The database at ${it.address} accepts encrypted connections only (require_secure_transport=ON), and database.ssl.mode=disabled asks for a plain one. Set database.ssl.mode=required.`,
    ])
    assert.deepEqual(await it.findings({ 'database.ssl.mode': 'required' }), [])
    await it.server.query('SET GLOBAL require_secure_transport = OFF')
  })
})

describe('the pre-flight of MariaDB', () => {
  let it: Subject

  before(async () => {
    it = new Subject(await startMariaDb({ args: ['--skip-show-database'] }))
    await it.prepare()
  })
  after(() => it[Symbol.asyncDispose]())

  commonTests(() => it)

  test('a server without TLS, with the modes preferred and required', async () => {
    const plugin = { 'connector.class': 'MySqlConnector' }
    const better = 'Ignore this warning if the network itself is protected.'
    const risk = 'whoever can read or change the traffic on the way to it can do so with all rows'
    await using proxy = await startFaultProxy({ target: it.server, host: ownAddress() })
    const address = `${proxy.host}:${proxy.port}`
    const remote = { 'database.hostname': proxy.host, 'database.port': String(proxy.port) }
    assert.deepEqual(await it.findings({ ...plugin, ...remote }), [
      `warning TLS_ABSENT database.ssl.mode: The server ${address} offers no TLS, so the connection is not encrypted; database.ssl.mode=preferred allows that. ${risk.replace('w', 'W')}. Give the server a certificate (ssl_cert, ssl_key and ssl_ca in the section [mysqld] of its configuration file), and set database.ssl.mode=verify_identity and database.ssl.truststore. ${better}`,
    ])
    const unused = (mode: string, verifying: string): string =>
      `warning TLS_UNUSED database.ssl.mode: The connection to the server ${address} is not encrypted (database.ssl.mode=${mode}): ${risk}. Set database.ssl.mode=${verifying}, and database.ssl.truststore to the certificate of its authority (PEM). ${better}`
    assert.deepEqual(await it.findings(remote), [unused('disable', 'verify-full')])
    const disabled = { 'database.ssl.mode': 'disabled' }
    assert.deepEqual(await it.findings({ ...plugin, ...remote, ...disabled }), [unused('disabled', 'verify_identity')])
    // Loopback needs no encryption.
    for (const host of ['127.0.0.1', 'localhost']) {
      assert.deepEqual(await it.findings({ ...plugin, 'database.hostname': host }), [])
      assert.deepEqual(await it.findings({ ...plugin, 'database.hostname': host, ...disabled }), [])
    }
    assert.deepEqual(await it.findings({ 'database.ssl.mode': 'trust' }), [
      `error MYSQL_TLS_FAILED database.ssl.mode: Unable to connect to the database at ${it.address} with database.ssl.mode=required: the server does not offer TLS. Check the certificates named by the database.ssl.* properties, or choose another database.ssl.mode.`,
    ])
  })

  test('a replica that does not log the changes that it replicates', async () => {
    await it.server.query(
      `GRANT SLAVE MONITOR ON *.* TO ${ACCOUNT}; CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_USER = 'nobody'`,
    )
    assert.deepEqual(await it.findings(), [
      `warning REPLICA_WITHOUT_UPDATES database.hostname: The server ${it.address} is a replica, and does not write what it replicates to its own binlog (log_slave_updates=OFF): only changes that are made on it directly are captured. Write log_slave_updates=ON into the section [mysqld] of its configuration file and restart it, or capture from the server that it replicates.`,
    ])
    await it.restart('--log-slave-updates=ON', '--skip-slave-start')
    assert.deepEqual(await it.findings(), [])
    await it.server.query('RESET SLAVE ALL')
  })
})
