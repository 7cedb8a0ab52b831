/**
 * The published documents that are accepted, run as they are on real servers: the task runs, and a new row arrives on
 * the topic that Debezium would write it to.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type DatabaseServer,
  eventually,
  type KafkaServer,
  readTopic,
  type Service,
  startKafka,
  startMariaDb,
  startMySql,
  startService,
  temporaryFolder,
  type TemporaryFolder,
  uniqueName,
} from '@tributary/testkit'
import { MemoryRegistry } from '../e2e/avro/memory-registry.ts'
import { filledConfig, type PublishedDocument, publishedDocuments } from './documents.ts'
import { expectations } from './expectations.ts'
import { isMariaDb, KAFKA_ACCOUNT, surroundingsOf, workerEnvironment } from './surroundings.ts'

const documents = publishedDocuments()

const running = documents.flatMap((document) => {
  const expected = expectations[document.id]
  return expected?.tag === 'runs' ? [{ document, change: expected.change }] : []
})

const withoutChanges = documents.flatMap((document) => {
  const expected = expectations[document.id]
  return expected?.tag === 'yields nothing' && expected.task !== null ? [{ document, task: expected.task }] : []
})

/** The columns that a document names, and one for the text of the new row. */
const COLUMNS =
  'id INT PRIMARY KEY AUTO_INCREMENT, payload VARCHAR(60), c_custkey INT NOT NULL DEFAULT 7, email VARCHAR(60) DEFAULT "hidden@example.com"'

describe('published documents run', () => {
  const open: AsyncDisposable[] = []
  let service: Service
  let kafka: KafkaServer
  let mysql: DatabaseServer
  let mariadb: DatabaseServer
  let folder: TemporaryFolder
  let registry: MemoryRegistry

  before(async () => {
    kafka = keep(await startKafkaWithLogin())
    mysql = keep(await startMySql())
    mariadb = keep(await startMariaDb())
    registry = keep(await MemoryRegistry.start())
    folder = keep(temporaryFolder('documents'))
    service = keep(await startService({ bootstrapServers: kafka.bootstrapServers, env: workerEnvironment(mysql) }))
  })

  after(async () => {
    for (const each of open.toReversed()) await each[Symbol.asyncDispose]()
  })

  function keep<T extends AsyncDisposable>(each: T): T {
    open.push(each)
    return each
  }

  /** Registers a document under a name of its own: documents share names, and the offset of one is not that of the next. */
  async function register(document: PublishedDocument): Promise<string> {
    const isLogin = Object.values(document.config).some((value) => value.includes('{{KAFKA_USER}}'))
    const bootstrapServers = isLogin ? kafka.listener('LOGIN') : kafka.bootstrapServers
    const servers = { mysql, mariadb, bootstrapServers, registryUrl: registry.url, folder: folder.path }
    const config = filledConfig(document, surroundingsOf(document, servers))
    const name = uniqueName(`document${document.id}`)
    const { status, text } = await service.rest('POST', '/connectors', { name, config: { ...config, name } })
    assert.equal(status, 201, text)
    return name
  }

  /** Creates a table of a document, and returns a statement that inserts a row with that text. */
  async function createTable(database: DatabaseServer, id: string): Promise<(text: string) => string> {
    const [schema, table] = id.split('.').map((name) => `\`${name}\``)
    await database.query(`CREATE DATABASE IF NOT EXISTS ${schema}`)
    await database.query(`DROP TABLE IF EXISTS ${schema}.${table}`)
    await database.query(`CREATE TABLE ${schema}.${table} (${COLUMNS})`)
    return (text) => `INSERT INTO ${schema}.${table} (payload) VALUES ('${text}')`
  }

  for (const { document, change } of running) {
    test(`${document.id}: a row of ${change.table} arrives on ${change.topic}`, async () => {
      const database = isMariaDb(document.config) ? mariadb : mysql
      const insert = await createTable(database, change.table)
      const name = await register(document)
      await service.waitUntilRunning(name)
      const marker = uniqueName('marker')
      await eventually(
        `${change.topic} has ${marker}`,
        async () => {
          // A snapshot of the structure alone may begin after an insert, so each attempt makes one.
          await database.query(insert(marker))
          const records = await readTopic(kafka.bootstrapServers, change.topic)
          const { state, trace } = await service.taskState(name)
          assert.equal(state, 'RUNNING', trace)
          return records.some(({ value }) => value?.includes(marker))
        },
        { timeoutMs: 60_000, everyMs: 500 },
      )
      assert.equal((await service.rest('DELETE', `/connectors/${name}`)).status, 204)
    })
  }

  for (const { document, task } of withoutChanges) {
    test(`${document.id}: its task is ${task.state}`, async () => {
      await createTable(mysql, 'inventory.customers')
      const name = await register(document)
      const { state, trace } = await service.waitForTask(name, [task.state])
      assert.equal(state, task.state)
      assert.ok(trace.includes(task.trace), trace)
      assert.equal((await service.rest('DELETE', `/connectors/${name}`)).status, 204)
    })
  }
})

function startKafkaWithLogin(): Promise<KafkaServer> {
  const { KAFKA_USER: user, KAFKA_PASSWORD: password } = KAFKA_ACCOUNT
  const login = `org.apache.kafka.common.security.plain.PlainLoginModule required user_${user}="${password}";`
  return startKafka({
    extraListeners: { LOGIN: 'SASL_PLAINTEXT' },
    config: { 'sasl.enabled.mechanisms': 'PLAIN', 'listener.name.login.plain.sasl.jaas.config': login },
  })
}
