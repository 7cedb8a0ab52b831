/** The output of `tributary check` on real servers. The checks themselves are tested in connector-mysql. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { CheckReport } from '@tributary/connector-mysql'
import {
  casesOfTier,
  connectorConfig,
  type Database,
  type DatabaseAccount,
  freePort,
  fullTest,
  type ProgramResult,
  temporaryFolder,
  uniqueName,
  useMariaDb,
  useMySql,
} from '@tributary/testkit'
import { runCli } from '../testing/cli-process.ts'

const folder = temporaryFolder('check')
after(() => folder[Symbol.asyncDispose]())

type Config = Record<string, string>

function check(config: Config, args: readonly string[] = [], env: Config = {}): Promise<ProgramResult> {
  const file = join(folder.path, 'connector.json')
  writeFileSync(file, JSON.stringify({ name: 'checked', config }))
  return runCli(['check', file, ...args], env)
}

function configFor(database: Database, schema: string, more: Config = {}): Config {
  // Nothing listens there: the command contacts no broker.
  return connectorConfig({ database, bootstrapServers: ['127.0.0.1:1'], prefix: schema, includes: schema, more })
}

async function schemaWithPets(database: Database): Promise<string> {
  const schema = uniqueName('check')
  await database.query(`
    CREATE DATABASE ${schema}; CREATE TABLE ${schema}.pets (id INT PRIMARY KEY, name VARCHAR(40));
    INSERT INTO ${schema}.pets VALUES (1, 'Rex'), (2, 'Mia'); ANALYZE TABLE ${schema}.pets`)
  return schema
}

for (const [name, use] of casesOfTier('check', [
  ['MySQL', useMySql],
  ['MariaDB', useMariaDb],
] as const)) {
  test(`${name}: the check prints the statement for a missing privilege, and passes after it was run`, async () => {
    const database = await use()
    const schema = await schemaWithPets(database)
    const account: DatabaseAccount = { user: uniqueName('u').slice(0, 16), password: 'geh eim' }
    await database.query(`
      CREATE USER '${account.user}'@'%' IDENTIFIED BY '${account.password}';
      GRANT RELOAD, SHOW DATABASES, REPLICATION CLIENT, LOCK TABLES ON *.* TO '${account.user}'@'%';
      GRANT SELECT ON *.* TO '${account.user}'@'%'`)
    const config = configFor(database, schema, {
      'database.user': account.user,
      'database.password': account.password,
    })

    const before = await check(config)
    assert.equal(before.code, 1, before.stdout + before.stderr)
    assert.ok(
      before.stdout.includes(`\n\n${name} ${database.version} at 127.0.0.1:${database.port}\n\n✔ `),
      before.stdout,
    )
    assert.match(before.stdout, /\n[1-9] errors?, \d+ warnings?\n$/)
    const statement = /^ {4}(GRANT REPLICATION SLAVE ON .*;)$/m.exec(before.stdout)?.[1]
    assert.ok(statement !== undefined, before.stdout)
    assert.doesNotMatch(before.stdout, /geh eim/)
    assert.equal(before.stdout.split(statement).length, 2, 'the statement is printed once')
    await database.query(statement)

    const { code, stdout } = await check(config)
    assert.equal(code, 0, stdout)
    assert.doesNotMatch(stdout, /✖/)
    assert.match(stdout, new RegExp(`\\nCAPTURED TABLE +ROWS \\(ABOUT\\) +SIZE\\n${schema}\\.pets +2 +\\d+ kB\\n`))
    assert.match(stdout, /\nSnapshot: 1 table, about 2 rows, \d+ kB: about 1 second, /)
  })
}

test('the check resolves references as a worker does, and prints no password', async () => {
  const database = await useMySql()
  const schema = await schemaWithPets(database)
  const secrets = join(folder.path, 'secrets.properties')
  writeFileSync(secrets, 'password=wrong-geheim\n')
  const provider = 'org.apache.kafka.common.config.provider'
  const env = {
    CONNECT_CONFIG_PROVIDERS: 'env,file',
    CONNECT_CONFIG_PROVIDERS_ENV_CLASS: `${provider}.EnvVarConfigProvider`,
    CONNECT_CONFIG_PROVIDERS_FILE_CLASS: `${provider}.FileConfigProvider`,
    DB_PASSWORD: 'dbz',
  }
  const good = await check(configFor(database, schema, { 'database.password': '${env:DB_PASSWORD}' }), ['--json'], env)
  assert.equal(good.code, 0, good.stdout + good.stderr)
  const report = JSON.parse(good.stdout) as CheckReport
  assert.deepEqual(report.server, { address: `127.0.0.1:${database.port}`, flavor: 'mysql', version: database.version })
  assert.deepEqual(
    report.tables.map(({ database: of, table }) => [of, table]),
    [[schema, 'pets']],
  )

  const wrong = await check(
    configFor(database, schema, { 'database.password': `\${file:${secrets}:password}` }),
    [],
    env,
  )
  assert.equal(wrong.code, 1)
  assert.match(wrong.stdout, /^✖ database\.hostname\n {4}.*Access denied for user 'debezium'/m)
  assert.doesNotMatch(wrong.stdout + wrong.stderr, /geheim/)

  const missing = await check(configFor(database, schema, { 'database.password': '${env:NONE}' }), [], env)
  assert.equal(missing.code, 1)
  assert.match(missing.stdout, /^✖ {2}database\.password +refused +.* refers to \$\{env:NONE\}, which has no value/m)
  assert.match(
    missing.stdout,
    /\nNot checked: The database, because references to config providers have no value here\.\n/,
  )
})

fullTest('the check reports an unreachable database and invalid properties without a stack', async () => {
  const database = await useMySql()
  const port = await freePort()
  const unreachable = await check(configFor(database, 'none', { 'database.port': String(port) }))
  assert.equal(unreachable.code, 1)
  assert.match(
    unreachable.stdout,
    new RegExp(`^✖ database\\.hostname\\n {4}.*ECONNREFUSED 127\\.0\\.0\\.1:${port}`, 'm'),
  )
  const { 'topic.prefix': _, ...rest } = configFor(database, 'none')
  const wrong = await check(rest)
  assert.equal(wrong.code, 1)
  assert.match(wrong.stdout, /^✖ {2}topic\.prefix +refused +.*A value is required/m)
  const ofRuntime = await check({
    ...configFor(database, 'none'),
    transforms: 'unwrap',
    'value.converter': 'io.confluent.connect.avro.AvroConverter',
    'tabel.include.list': 'none.pets',
    'custom.metric.tags': 'a=b',
    'database.password': '${vault:db:password}',
  })
  assert.equal(ofRuntime.code, 1)
  for (const expected of [
    /^✖ {2}transforms\.unwrap\.type +refused +Missing required configuration/m,
    /^✖ {2}value\.converter +refused +.*the Avro converter needs schema\.registry\.url/m,
    /^✖ {2}database\.password +refused +.*which has no value: the worker has no config provider named vault/m,
    /^⚠ {2}tabel\.include\.list +has no effect +It is not known and has no effect\. Did you mean table\.include\.list\?/m,
    /^⚠ {2}custom\.metric\.tags +has no effect +It has no effect in this version/m,
  ]) {
    assert.match(ofRuntime.stdout, expected)
  }
  const other = await check({ ...rest, 'connector.class': 'org.acme.Other' })
  assert.equal(other.code, 2)
  assert.match(
    other.stderr,
    /connector\.class is org\.acme\.Other, which check does not know\. Set connector\.class to one of: io\.debezium\.connector\.mysql\.MySqlConnector/,
  )
})
