/**
 * The answers to the registration of a connector that cannot run: the text states what is wrong, where, and what to do.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ConfigInfos } from '@tributary/rest-api'
import {
  connectorConfig,
  freePort,
  type Service,
  startService,
  uniqueName,
  useKafka,
  useMySql,
} from '@tributary/testkit'

type Config = Record<string, string>

/** As `POST /connectors` lists the refusals of a configuration. */
function invalid(...errors: readonly string[]): string {
  return [
    `Connector configuration is invalid and contains the following ${errors.length} error(s):`,
    ...errors,
    'You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`',
  ].join('\n')
}

describe('a connector that cannot run is refused', () => {
  let service: Service
  let config: Config

  before(async () => {
    const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
    service = await startService({ bootstrapServers })
    config = connectorConfig({ database, bootstrapServers, prefix: 'refused', includes: 'refused' })
  })

  after(() => service[Symbol.asyncDispose]())

  async function answerTo(body: unknown): Promise<{ readonly code: number; readonly message: string }> {
    const { status, json } = await service.rest('POST', '/connectors', body)
    const { error_code: code, message } = json as { readonly error_code: number; readonly message: string }
    assert.equal(code, status)
    assert.deepEqual((await service.rest('GET', '/connectors')).json, [])
    return { code, message }
  }

  function without(...names: readonly string[]): Config {
    return Object.fromEntries(Object.entries(config).filter(([name]) => !names.includes(name)))
  }

  test('malformed JSON: the message of Jackson, with line and column', async () => {
    assert.deepEqual(await answerTo('{"name": "x", config: {}}'), {
      code: 500,
      message:
        "Unexpected character ('c' (code 99)): was expecting double-quote to start field name\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: 15]",
    })
  })

  test('an unknown class: the classes that exist', async () => {
    const { code, message } = await answerTo({ name: 'x', config: { ...config, 'connector.class': 'org.acme.Other' } })
    assert.equal(code, 400)
    assert.equal(
      message.replaceAll(/(version='|encodedVersion=)[\d.]+/g, '$1…'),
      "Failed to find any class that implements Connector and which name matches org.acme.Other, available connectors are: PluginDesc{klass=class io.debezium.connector.mysql.MySqlConnector, name='io.debezium.connector.mysql.MySqlConnector', version='…', encodedVersion=…, type=source, typeName='source', location='classpath'}, PluginDesc{klass=class io.debezium.connector.mariadb.MariaDbConnector, name='io.debezium.connector.mariadb.MariaDbConnector', version='…', encodedVersion=…, type=source, typeName='source', location='classpath'}",
    )
  })

  test('no class: the configuration, without its passwords', async () => {
    const { code, message } = await answerTo({ name: 'x', config: without('connector.class') })
    assert.equal(code, 400)
    assert.match(message, /^Connector config \{.*database\.password=\[hidden\].*\} contains no connector type$/)
    assert.doesNotMatch(message, /dbz/)
  })

  test('a wrong password: the server’s message, and which server', async () => {
    const { code, message } = await answerTo({ name: 'x', config: { ...config, 'database.password': 'wrong' } })
    assert.equal(code, 400)
    assert.equal(
      message.replace(/'debezium'@'[^']+'/, "'debezium'@'…'"),
      invalid(
        `Unable to connect: Access denied for user 'debezium'@'…' (using password: YES) (database 127.0.0.1:${config['database.port']}; check database.user and database.password, and that the user may log in from this host)`,
      ),
    )
  })

  test('an unreachable database: its address, and what to check', async () => {
    const port = await freePort()
    assert.deepEqual(await answerTo({ name: 'x', config: { ...config, 'database.port': String(port) } }), {
      code: 400,
      message: invalid(
        `Unable to connect to the database at 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}. Check database.hostname and database.port, that the server runs, and that a firewall lets this host in.`,
      ),
    })
  })

  test('an unknown host', async () => {
    const { code, message } = await answerTo({ name: 'x', config: { ...config, 'database.hostname': 'db.invalid' } })
    assert.equal(code, 400)
    assert.equal(
      // Without any resolver the error is EAI_AGAIN.
      message.replace('EAI_AGAIN', 'ENOTFOUND'),
      invalid(
        `Unable to connect to the database at db.invalid:${config['database.port']}: getaddrinfo ENOTFOUND db.invalid. Check database.hostname and database.port, that the server runs, and that a firewall lets this host in.`,
      ),
    )
  })

  const refusals: readonly (readonly [what: string, change: () => Config, ...errors: readonly string[]])[] = [
    [
      'two tasks',
      () => ({ ...config, 'tasks.max': '2' }),
      "The 'tasks.max' value is invalid: Only a single connector task may be started, because the database records all activity in one binary log, which one reader reads in order. Set it to 1",
    ],
    ['no topic.prefix', () => without('topic.prefix'), "The 'topic.prefix' value is invalid: A value is required"],
    [
      'a topic.prefix that is no name of a topic',
      () => ({ ...config, 'topic.prefix': 'a b' }),
      "The 'topic.prefix' value is invalid: a b has invalid format (only the underscore, hyphen, dot and alphanumeric characters are allowed)",
    ],
    [
      'several errors at once, all of them',
      () => ({ ...without('topic.prefix', 'database.user'), 'database.server.id': 'seven', 'tasks.max': 'two' }),
      'Invalid value two for configuration tasks.max: Not a number of type INT',
      'Invalid value null for configuration tasks.max: Value must be non-null',
      "The 'topic.prefix' value is invalid: A value is required",
      "The 'database.user' value is invalid: A value is required",
      // Twice, as in Debezium: for the value, and for what is then missing.
      ...Array.from({ length: 2 }, () => "The 'database.server.id' value is invalid: A long value is expected"),
    ],
    [
      'a converter that is not there',
      () => ({ ...config, 'value.converter': 'org.example.MissingConverter' }),
      'Invalid value org.example.MissingConverter for configuration value.converter: Class org.example.MissingConverter could not be found.',
    ],
  ]
  for (const [what, change, ...errors] of refusals) {
    test(what, async () => {
      assert.deepEqual(await answerTo({ name: 'x', config: change() }), { code: 400, message: invalid(...errors) })
    })
  }

  test('what the database forbids and what this version does not support: all of it, also when validating', async () => {
    const database = await useMySql()
    const user = uniqueName('bare')
    await database.query(
      `CREATE USER ${user}@'%' IDENTIFIED BY 'secret'; CREATE DATABASE ${user}; CREATE TABLE ${user}.t (id INT PRIMARY KEY); GRANT INSERT ON ${user}.t TO ${user}@'%'`,
    )
    const broken = {
      ...config,
      'database.user': user,
      'database.password': 'secret',
      'database.include.list': user,
      'snapshot.locking.mode': 'extended',
      converters: 'c',
      transforms: 'route',
    }
    const address = `127.0.0.1:${database.port}`
    const account = `\`${user}\`@\`%\``
    const refused = [
      'Missing required configuration "transforms.route.type" which has no default value.',
      `The user ${account} may not read the binlog of ${address}: the privilege REPLICATION SLAVE is missing. Run: GRANT REPLICATION SLAVE ON *.* TO ${account};`,
      `The user ${account} may not ask ${address} for the position of its binlog: the privilege REPLICATION CLIENT is missing. Run: GRANT REPLICATION CLIENT ON *.* TO ${account};`,
      `The user ${account} may not read ${user}.t on ${address}: the privilege SELECT is missing. Run: GRANT SELECT ON \`${user}\`.\`t\` TO ${account};`,
      `User does not have the 'LOCK TABLES' privilege required to obtain a consistent snapshot by preventing concurrent writes to tables: ${account} has neither RELOAD nor LOCK TABLES on ${user} at ${address}, and snapshot.locking.mode=extended needs one of them. Run: GRANT RELOAD ON *.* TO ${account}; or set snapshot.locking.mode=none.`,
      "The 'c.type' value is invalid: A value is required: the class of the converter c, which 'converters' names",
    ]
    assert.deepEqual(await answerTo({ name: 'x', config: broken }), { code: 400, message: invalid(...refused) })

    const { status, text, json } = await service.rest('PUT', '/connector-plugins/MySql/config/validate', {
      name: 'x',
      ...broken,
    })
    assert.equal(status, 200)
    assert.doesNotMatch(text, /secret/)
    const { error_count: count, configs } = json as ConfigInfos
    assert.equal(count, refused.length)
    assert.deepEqual(
      configs.flatMap(({ value }) => value.errors.map((error) => [value.name, error])),
      [
        ['transforms.route.type', refused[0]],
        ...refused.slice(1, 5).map((error) => ['database.user', error]),
        ['c.type', refused[5]],
      ],
    )
  })

  test('a name that is in use', async () => {
    await service.register('taken', config)
    const { status, json } = await service.rest('POST', '/connectors', { name: 'taken', config })
    assert.equal(status, 409)
    assert.deepEqual(json, { error_code: 409, message: 'Connector taken already exists' })
  })
})
