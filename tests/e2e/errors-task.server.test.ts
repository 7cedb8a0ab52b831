/**
 * What a user finds in the status of a task that cannot go on: what is wrong, where, and what to do. Each text is asserted whole;
 * what differs from run to run stands as `…`.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  type Database,
  eventually,
  kafkaClient,
  type Service,
  startMariaDb,
  startMySql,
  startService,
  uniqueName,
  useKafka,
  useMariaDb,
  useMySql,
  waitForRecords,
} from '@tributary/testkit'

/** The error of a failed task: the first line of its trace. */
async function failureOf(service: Service, name: string): Promise<string> {
  const { trace } = await service.waitForTask(name, ['FAILED'], 90_000)
  return (trace.split('\n')[0] ?? '').replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, 'uuid')
}

async function createTable(database: Database, schema: string): Promise<void> {
  await database.query(
    `CREATE DATABASE ${schema}; CREATE TABLE ${schema}.t (id INT PRIMARY KEY); INSERT INTO ${schema}.t VALUES (1)`,
  )
}

/** Removes all binlog files but the newest. */
async function purgeBinlogs(database: Database): Promise<void> {
  // A file that is read is not purged, and the server sees only after a while that its reader has gone.
  await eventually('only the newest binlog file is left', async () => {
    const files = await database.query('SHOW BINARY LOGS')
    if (files.length === 1) return true
    await database.query(`PURGE BINARY LOGS TO '${String(files.at(-1)?.['Log_name'])}'`)
    return false
  })
}

test('what a task needs is gone when the service starts again: the text names it, what there is, and the way out', async () => {
  await using stack = new AsyncDisposableStack()
  const { bootstrapServers } = await useKafka()
  const [gtids, files, mariadb, shared] = await Promise.all([
    startMySql({ gtid: true }).then((server) => stack.use(server)),
    // GTIDs are on by default in 9.7.
    startMySql({ gtid: false }).then((server) => stack.use(server)),
    startMariaDb().then((server) => stack.use(server)),
    useMySql(),
  ])
  const service = stack.use(await startService({ bootstrapServers }))
  const schema = uniqueName('gone')
  const places = { gtids, files, mariadb, history: shared }
  for (const [what, database] of Object.entries(places)) {
    await createTable(database, schema)
    const prefix = `${schema}.${what}`
    await service.register(prefix, connectorConfig({ database, bootstrapServers, prefix, includes: schema }))
  }
  for (const what of Object.keys(places)) {
    await service.waitForLog(new RegExp(`${schema}.${what}.streaming {2}Connected to binlog`))
    await waitForRecords(bootstrapServers, `${schema}.${what}.${schema}.t`, 1)
  }
  await service.stop()
  for (const database of [gtids, files, mariadb]) {
    await database.query(`INSERT INTO ${schema}.t VALUES (2); FLUSH BINARY LOGS; INSERT INTO ${schema}.t VALUES (3)`)
    await purgeBinlogs(database)
  }
  await using admin = kafkaClient(bootstrapServers).admin()
  await admin.deleteTopic(`schemahistory.${schema}.history`)

  await service.start()

  const lost = (what: string, { port }: Database, needs: string): string =>
    `${needs} The changes in between are lost to this connector. For a new snapshot stop it (PUT /connectors/${schema}.${what}/stop), remove its offsets (DELETE /connectors/${schema}.${what}/offsets) and resume it (PUT /connectors/${schema}.${what}/resume). Raise binlog_expire_logs_seconds (MariaDB: expire_logs_days) above your longest outage. [POSITION_PURGED]`.replace(
      'ADDRESS',
      `127.0.0.1:${port}`,
    )
  assert.equal(
    (await failureOf(service, `${schema}.gtids`)).replace(/000001:\d+/, '000001:…'),
    lost(
      'gtids',
      gtids,
      'io.debezium.DebeziumException: The connector is trying to read change stream starting at binlog.000001:… (GTIDs uuid:1-3), but this is no longer available on the server ADDRESS: it needs the transactions uuid:4, but the server has purged uuid:1-4; its oldest binlog file is binlog.000002.',
    ),
  )
  assert.equal(
    (await failureOf(service, `${schema}.files`)).replace(/000001:\d+/, '000001:…'),
    lost(
      'files',
      files,
      'io.debezium.DebeziumException: The connector is trying to read change stream starting at binlog.000001:…, but this is no longer available on the server ADDRESS: it needs the binlog file binlog.000001, but the oldest file of the server is binlog.000002.',
    ),
  )
  assert.equal(
    (await failureOf(service, `${schema}.mariadb`)).replace(/000001:\d+/, '000001:…').replaceAll(/0-\d+-/g, '0-…-'),
    lost(
      'mariadb',
      mariadb,
      'io.debezium.DebeziumException: The connector is trying to read change stream starting at binlog.000001:… (GTIDs 0-…-3), but this is no longer available on the server ADDRESS: it needs the transactions after GTID 0-…-3, but the oldest file of the server, binlog.000002, begins after GTID 0-…-4.',
    ),
  )
  assert.equal(
    await failureOf(service, `${schema}.history`),
    `io.debezium.DebeziumException: The db history topic is missing: schemahistory.${schema}.history does not exist or is empty, but the stored offset of the connector says that a snapshot was taken. Restore the topic; or, for a new snapshot, stop it (PUT /connectors/${schema}.history/stop), remove its offsets (DELETE /connectors/${schema}.history/offsets) and resume it (PUT /connectors/${schema}.history/resume). [HISTORY_MISSING]`,
  )
})

test('what a server does not allow or does not write: the text says what to run', async () => {
  await using stack = new AsyncDisposableStack()
  const { bootstrapServers } = await useKafka()
  const [mysql, mariadb, misset] = await Promise.all([
    useMySql(),
    useMariaDb(),
    startMariaDb({ args: ['--binlog-format=STATEMENT', '--binlog-row-image=MINIMAL'] }).then((server) =>
      stack.use(server),
    ),
  ])
  const service = stack.use(await startService({ bootstrapServers }))
  const schema = uniqueName('refused')
  for (const database of [mysql, mariadb, misset]) await createTable(database, schema)
  const register = (what: string, database: Database, more: Readonly<Record<string, string>> = {}): Promise<void> => {
    const prefix = `${schema}.${what}`
    return service.register(prefix, connectorConfig({ database, bootstrapServers, prefix, includes: schema, more }))
  }
  /** Registers a connector whose user has these rights only. */
  const registerUser = async (what: string, database: Database, ...grants: readonly string[]): Promise<void> => {
    const user = `${schema}_${what}`
    await database.query(`CREATE USER ${user}@'%' IDENTIFIED BY 'secret'`)
    for (const grant of grants) await database.query(`GRANT ${grant} TO ${user}@'%'`)
    await register(what, database, { 'database.user': user, 'database.password': 'secret' })
  }
  const failure = (what: string): Promise<string> => failureOf(service, `${schema}.${what}`)

  const rest = 'REPLICATION SLAVE, REPLICATION CLIENT ON *.*'
  await registerUser('unlocked', mysql, 'SELECT ON *.*', rest)
  await registerUser('tablelock', mysql, 'SELECT, LOCK TABLES ON *.*', rest)
  await registerUser('noselect', mysql, 'RELOAD ON *.*', `INSERT ON ${schema}.t`, rest)
  await registerUser('noreplica', mysql, 'SELECT, RELOAD, REPLICATION CLIENT ON *.*')
  await registerUser('noclient', mariadb, 'SELECT, RELOAD, REPLICATION SLAVE ON *.*')
  await register('format', misset)
  const serverId = { 'database.server.id': String(2 ** 31 + mariadb.port) }
  await register('first', mariadb, serverId)
  await service.waitForLog(new RegExp(`${schema}.first.streaming {2}Connected to binlog`))
  await register('second', mariadb, serverId)

  const at = (database: Database): string => `127.0.0.1:${database.port}`
  const connectError = 'org.apache.kafka.connect.errors.ConnectException'
  const grant = 'Grant what the message names, or correct the statement if it comes from the configuration.'
  assert.equal(
    await failure('unlocked'),
    `io.debezium.DebeziumException: User does not have the 'LOCK TABLES' privilege required to obtain a consistent snapshot by preventing concurrent writes to tables: The database at ${at(mysql)} refused a statement (LOCK TABLES \`${schema}\`.\`t\` READ): Access denied for user '${schema}_unlocked'@'%' to database '${schema}' (1044). ${grant} Run: GRANT RELOAD, LOCK TABLES ON *.* TO '${schema}_unlocked'@'%'; or set snapshot.locking.mode=none. [SNAPSHOT_LOCK_REFUSED]`,
  )
  assert.equal(
    (await failure('noselect')).replace(/'@'[\w.]+'/, "'@'…'"),
    `${connectError}: The database at ${at(mysql)} refused a statement (reading the rows of ${schema}.t): SELECT command denied to user '${schema}_noselect'@'…' for table 't' (1142). ${grant} [MYSQL_QUERY_FAILED]`,
  )
  assert.equal(
    await failure('noreplica'),
    `${connectError}: The database at ${at(mysql)} does not let this user read its binlog: Access denied for user '${schema}_noreplica'@'%' (using password: YES). Run, with the name of database.user: GRANT REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO …; then restart the task. [BINLOG_NOT_ALLOWED]`,
  )
  assert.equal(
    await failure('noclient'),
    `${connectError}: The database at ${at(mariadb)} refused a statement (SHOW MASTER STATUS): Access denied; you need (at least one of) the SUPER, BINLOG MONITOR privilege(s) for this operation (1227). ${grant} [MYSQL_QUERY_FAILED]`,
  )
  assert.equal(
    await failure('format'),
    `${connectError}: The database server is not configured to use a ROW binlog_format, which is required for this connector to work properly (it is STATEMENT). Run: SET GLOBAL binlog_format = 'ROW'; and set binlog_format=ROW in its configuration file, then restart the sessions that write, and the connector. [BINLOG_FORMAT]`,
  )
  await misset.query("SET GLOBAL binlog_format = 'ROW'")
  await register('image', misset)
  assert.match(
    await failure('first'),
    new RegExp(
      String.raw`^${connectError}: Another replica uses database\.server\.id=${serverId['database.server.id']} on the database at ${at(mariadb)}: A slave with the same server_uuid/server_id is already connected; .*\. Give this connector a database\.server\.id that no other connector and no replica of that server has\. \[BINLOG_SERVER_ID_TAKEN\]$`,
    ),
  )
  assert.equal(
    await failure('image'),
    `${connectError}: The database server is not configured to use a FULL binlog_row_image, which is required for this connector to work properly (it is MINIMAL). Run: SET GLOBAL binlog_row_image = 'FULL'; and set it in its configuration file, then restart the sessions that write, and the connector. [BINLOG_ROW_IMAGE]`,
  )
  // A user who may lock tables needs no more.
  await service.waitForLog(
    new RegExp(`${schema}.tablelock.snapshot {2}The global read lock was refused; locking the captured tables instead`),
  )
  await service.waitForLog(
    new RegExp(
      `${schema}.tablelock.snapshot {2}Writes to the database were blocked for \\d+ ms by the lock on 1 tables; it is released now`,
    ),
  )
  await waitForRecords(bootstrapServers, `${schema}.tablelock.${schema}.t`, 1)
  assert.equal((await service.taskState(`${schema}.second`)).state, 'RUNNING')
})
