/** The abilities that a packed program must have on every supported Node. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckReport } from '@tributary/connector-mysql'
import { connectorConfig, freePort, uniqueName, useKafka, useMariaDb, useMySql } from '@tributary/testkit'
import type { PackedProgram } from './packed-program.ts'

/**
 * npx starts a worker, creates a connector and shows its records; SIGTERM stops everything, and the program exits with
 * 0.
 */
export async function startsAndEnds(program: PackedProgram): Promise<void> {
  const database = await useMySql()
  const { bootstrapServers } = await useKafka()
  const prefix = uniqueName('packed')
  await database.query(`
    CREATE DATABASE ${prefix}; CREATE TABLE ${prefix}.pets (id INT PRIMARY KEY, name VARCHAR(40));
    INSERT INTO ${prefix}.pets VALUES (1, 'Rex'), (2, 'Mia')`)
  const url = `http://127.0.0.1:${await freePort()}`
  const environment = {
    BOOTSTRAP_SERVERS: bootstrapServers.join(','),
    GROUP_ID: prefix,
    CONFIG_STORAGE_TOPIC: `${prefix}_configs`,
    OFFSET_STORAGE_TOPIC: `${prefix}_offsets`,
    STATUS_STORAGE_TOPIC: `${prefix}_statuses`,
    CONNECT_OFFSET_STORAGE_PARTITIONS: '1',
    CONNECT_STATUS_STORAGE_PARTITIONS: '1',
    REST_HOST_NAME: '127.0.0.1',
    REST_PORT: new URL(url).port,
    TRIBUTARY_URL: url,
  }
  await using worker = program.start(['start'], environment)
  await worker.untilPrinted('Worker has completed startup')
  const config = connectorConfig({ database, bootstrapServers, prefix, includes: prefix })
  writeFileSync(join(program.folder, 'connector.json'), JSON.stringify({ name: prefix, config }))
  const created = await program.run(['connectors', 'create', 'connector.json', '--wait'], environment)
  assert.equal(created.code, 0, created.stderr)
  assert.match(created.stdout, /: created\n[^]*task 0 +RUNNING/)

  // Node has zstd from 22.15 on; before, the bundle brings its own decompressor.
  const session = await database.connect()
  await session.query('SET SESSION binlog_transaction_compression = ON')
  await session.query(`INSERT INTO ${prefix}.pets VALUES (3, REPEAT('compressed ', 3))`)
  await session.end()

  const shown = await program.run(['watch', '-a', '--max-messages', '3', `${prefix}.${prefix}.pets`], environment)
  assert.equal(shown.code, 0, shown.stderr)
  const rows = shown.stdout.trim().split('\n')
  assert.deepEqual(
    rows.map((line) => (JSON.parse(line) as { payload: { after: unknown } }).payload.after),
    [
      { id: 1, name: 'Rex' },
      { id: 2, name: 'Mia' },
      { id: 3, name: 'compressed compressed compressed ' },
    ],
  )

  worker.kill('SIGTERM')
  const { stdout } = await worker.end()
  assert.match(stdout, /Received SIGTERM from npx: stopping\n.*Worker stopped\n$/s)

  await using again = program.startInstalled(['start'], environment)
  await again.untilPrinted('Worker has completed startup')
  await using status = program.startInstalled(['connectors', 'status', '--wait', prefix], environment)
  const { code: running, stdout: state } = await status.end()
  assert.equal(running, 0, state)
  again.kill('SIGTERM')
  const { code } = await again.end()
  assert.equal(code, 0)
}

/** Every login method works from the bundle, which contains the modules that the driver loads late. */
export async function logsIn(program: PackedProgram): Promise<void> {
  const [mysql, mariadb] = await Promise.all([useMySql(), useMariaDb()])
  const user = uniqueName('u').slice(0, 16)
  await mysql.query(`CREATE USER '${user}'@'%' IDENTIFIED WITH caching_sha2_password BY 'pw' REQUIRE NONE;
    GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT, LOCK TABLES ON *.* TO '${user}'@'%'`)
  await mariadb.query(`CREATE USER '${user}'@'%' IDENTIFIED VIA mysql_native_password USING PASSWORD('pw');
    GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT, LOCK TABLES ON *.* TO '${user}'@'%'`)
  const logins = [
    // The first asks for the server's RSA key, the second finds the password in the server's cache.
    ['RSA', mysql, 'disabled', 'not encrypted'],
    ['cached', mysql, 'disabled', 'not encrypted'],
    ['TLS', mysql, 'required', 'encrypted'],
    ['native', mariadb, 'disable', 'not encrypted'],
  ] as const
  for (const [how, database, mode, encryption] of logins) {
    const account = {
      'database.user': user,
      'database.password': 'pw',
      'database.ssl.mode': mode,
      // The check refuses to ask an unencrypted server for its key unless this allows it.
      'driver.allowPublicKeyRetrieval': String(how === 'RSA'),
    }
    const config = connectorConfig({
      database,
      bootstrapServers: [],
      prefix: user,
      includes: 'none',
      more: account,
    })
    writeFileSync(join(program.folder, 'login.json'), JSON.stringify(config))
    const { stdout, stderr } = await program.run(['check', '--json', 'login.json'])
    const { server, checks } = JSON.parse(stdout) as CheckReport
    assert.equal(server?.version, database.version, `${how}: ${stdout} ${stderr}`)
    assert.equal(checks.find(({ title }) => title === 'TLS')?.found, encryption, how)
  }
}
