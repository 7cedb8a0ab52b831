/**
 * The status of a task that cannot continue: what is wrong, where, and what to do. Each text is compared entirely; `…`
 * replaces what differs from run to run.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectorConfig,
  type Database,
  eventually,
  fullTest,
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
  // The server does not purge a file with a reader, and notices only after a while that the reader has left.
  await eventually('only the newest binlog file is left', async () => {
    const files = await database.query('SHOW BINARY LOGS')
    if (files.length === 1) return true
    await database.query(`PURGE BINARY LOGS TO '${String(files.at(-1)?.['Log_name'])}'`)
    return false
  })
}

test('a task’s prerequisite is missing when the service starts again: the error names it, what exists, and what to do', async () => {
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
  await using admin = (await kafkaClient(bootstrapServers)).admin()
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
      'io.debezium.DebeziumException: The connector is trying to read change stream starting at binlog.000001:… (GTIDs 0-…-3), but this is no longer available on the server ADDRESS: it needs the transactions after GTID 0-…-3, but the oldest file of the server, binlog.000002, starts after GTID 0-…-4.',
    ),
  )
  // A lost history is rebuilt, and the changes meanwhile become events.
  await service.waitForLog(
    new RegExp(
      `The schema history topic 'schemahistory.${schema}.history' does not exist: it is rebuilt as of the stored`,
    ),
  )
})

test('what a server forbids or does not write: the task reports all of it at once, and what to run', async () => {
  await using stack = new AsyncDisposableStack()
  const { bootstrapServers } = await useKafka()
  const server = stack.use(await startMariaDb())
  const service = stack.use(await startService({ bootstrapServers }))
  const schema = uniqueName('refused')
  await createTable(server, schema)
  const grants = ['SELECT ON *.*', 'LOCK TABLES ON *.*', 'REPLICATION SLAVE, REPLICATION CLIENT ON *.*']
  await server.query(`CREATE USER ${schema}@'%' IDENTIFIED BY 'secret'`)
  for (const grant of grants) await server.query(`GRANT ${grant} TO ${schema}@'%'`)
  const more = { 'database.user': schema, 'database.password': 'secret' }
  const config = connectorConfig({ database: server, bootstrapServers, prefix: schema, includes: schema, more })
  await service.register(schema, config)

  // A user who may lock tables needs no other privilege.
  await service.waitForLog(
    new RegExp(`${schema}.snapshot {2}The global read lock was refused; locking the captured tables instead`),
  )
  await service.waitForLog(
    new RegExp(
      `${schema}.snapshot {2}Writes to the database were blocked for \\d+ ms by the lock on 1 tables; it is released now`,
    ),
  )
  await waitForRecords(bootstrapServers, `${schema}.${schema}.t`, 1)
  // After the snapshot the connector reads and locks no table.
  await server.query(`REVOKE SELECT, LOCK TABLES ON *.* FROM ${schema}@'%'`)
  await service.rest('POST', `/connectors/${schema}/tasks/0/restart`)
  await service.waitForLog(new RegExp(`${schema}.snapshot {2}A previous offset indicating a completed snapshot`))
  assert.equal((await service.waitForTask(schema, ['RUNNING'])).state, 'RUNNING')

  await server.query(`REVOKE REPLICATION SLAVE ON *.* FROM ${schema}@'%'; SET GLOBAL binlog_format = 'STATEMENT'`)
  await service.rest('POST', `/connectors/${schema}/tasks/0/restart`)
  const { trace } = await service.waitForTask(schema, ['FAILED'], 90_000)
  const address = `127.0.0.1:${server.port}`
  const user = `\`${schema}\`@\`%\``
  assert.deepEqual(trace.split('\n').slice(0, 3), [
    `org.apache.kafka.connect.errors.ConnectException: The database at ${address} is not as the connector needs it, in 2 points, each with what to do:`,
    "1. The database server is not configured to use a ROW binlog_format, which is required for this connector to work properly (it is STATEMENT). Run: SET GLOBAL binlog_format = 'ROW'; and write binlog_format=ROW into the section [mysqld] of its configuration file; sessions that are open keep the old format until they are ended. [BINLOG_FORMAT]",
    `2. The user ${user} may not read the binlog of ${address}: the privilege REPLICATION SLAVE is missing. Run: GRANT REPLICATION SLAVE ON *.* TO ${user}; [PRIVILEGE_REPLICATION_SLAVE] The task starts again by itself within five minutes, or at once with POST /connectors/${schema}/tasks/0/restart. [PRE_FLIGHT_FAILED]`,
  ])

  await server.query(`SET GLOBAL binlog_format = 'ROW'`)
  await service.rest('POST', `/connectors/${schema}/tasks/0/restart`)
  await eventually('the text names what is left', async () =>
    (await failureOf(service, schema)).startsWith(
      `org.apache.kafka.connect.errors.ConnectException: The user ${user} may not read the binlog of ${address}: the privilege REPLICATION SLAVE is missing. Run: GRANT REPLICATION SLAVE ON *.* TO ${user}; The task starts again by itself within five minutes, or at once with POST /connectors/${schema}/tasks/0/restart. [PRIVILEGE_REPLICATION_SLAVE]`,
    ),
  )
  await server.query(`GRANT REPLICATION SLAVE ON *.* TO ${user};`)
  const before = service.log.length
  await service.rest('POST', `/connectors/${schema}/tasks/0/restart`)
  await service.waitForLog(new RegExp(`${schema}.streaming {2}Connected to binlog`), before)
})

fullTest('a starting task waits for a server that lacks what was read: it may be a lagging replica', async () => {
  await using stack = new AsyncDisposableStack()
  const { bootstrapServers } = await useKafka()
  const server = stack.use(await startMySql({ gtid: true }))
  const replica = stack.use(await startMySql({ gtid: true }))
  const service = stack.use(await startService({ bootstrapServers }))
  const schema = uniqueName('lagging')
  const configOn = (database: Database): Record<string, string> =>
    connectorConfig({ database, bootstrapServers, prefix: schema, includes: schema })
  await Promise.all([createTable(server, schema), createTable(replica, schema)])
  await replica.query('RESET BINARY LOGS AND GTIDS')
  await service.register(schema, configOn(server))
  await waitForRecords(bootstrapServers, `${schema}.${schema}.t`, 1)
  await service.waitForLog(/Connected to binlog at/)
  const [row] = await server.query('SELECT @@global.gtid_executed AS gtids')
  const gtids = String(row?.['gtids'])

  await service.rest('PUT', `/connectors/${schema}/config`, configOn(replica))
  await service.waitForLog(/lacks what was read already: it needs a server that has executed the GTIDs/)
  await replica.query(`SET GLOBAL gtid_purged = '${gtids}'; INSERT INTO ${schema}.t VALUES (2)`)

  await waitForRecords(bootstrapServers, `${schema}.${schema}.t`, 2)
  assert.equal((await service.taskState(schema)).state, 'RUNNING')
})

fullTest('two replicas with one server id: the text names it', async () => {
  await using stack = new AsyncDisposableStack()
  const { bootstrapServers } = await useKafka()
  const mariadb = await useMariaDb()
  const service = stack.use(await startService({ bootstrapServers }))
  const schema = uniqueName('clash')
  await createTable(mariadb, schema)
  const id = String(2 ** 31 + mariadb.port)
  const register = (what: string): Promise<void> => {
    const prefix = `${schema}.${what}`
    const more = { 'database.server.id': id }
    const config = connectorConfig({ database: mariadb, bootstrapServers, prefix, includes: schema, more })
    return service.register(prefix, config)
  }
  await register('first')
  await service.waitForLog(new RegExp(`${schema}.first.streaming {2}Connected to binlog`))
  await register('second')

  assert.match(
    await failureOf(service, `${schema}.first`),
    new RegExp(
      String.raw`^org\.apache\.kafka\.connect\.errors\.ConnectException: Another replica uses database\.server\.id=${id} on the database at 127\.0\.0\.1:${mariadb.port}: A slave with the same server_uuid/server_id is already connected; .*\. Give this connector a database\.server\.id that no other connector and no replica of that server has\. \[BINLOG_SERVER_ID_TAKEN\]$`,
    ),
  )
  assert.equal((await service.taskState(`${schema}.second`)).state, 'RUNNING')
})
