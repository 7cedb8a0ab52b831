/**
 * Faults that somebody corrects outside of the connector: real servers, what a user sees over time, and that nobody has
 * to act on the connector. Each change that was made during a fault arrives once.
 */
import {
  connectorConfig,
  databaseAccounts,
  type DatabaseServer,
  eventually,
  idOf,
  kafkaClient,
  type KafkaServer,
  readTopic,
  startMySql,
  startService,
  type Service,
  temporaryFolder,
  type TemporaryFolder,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  ACCOUNT,
  allowAll,
  changeAccess,
  changeSettings,
  loginEnvironment,
  startSecuredKafka,
} from './recovery/secured-kafka.ts'
import { StatusCourse } from './recovery/status-course.ts'

const NAME = 'shop'
const TOPIC = `${NAME}.shop.t`
const { user: USER } = databaseAccounts.debezium

let mysql: DatabaseServer
let kafka: KafkaServer
let service: Service
let folder: TemporaryFolder
let lastId = 0

before(async () => {
  folder = temporaryFolder('recovers')
  ;[mysql, kafka] = await Promise.all([startMySql(), startSecuredKafka()])
  await allowAll(kafka)
  await writePassword(databaseAccounts.debezium.password)
  await mysql.query('CREATE DATABASE shop; CREATE TABLE shop.t (id INT PRIMARY KEY, note TEXT)')
  const env = {
    ...loginEnvironment,
    CONNECT_CONFIG_PROVIDERS: 'file',
    CONNECT_CONFIG_PROVIDERS_FILE_CLASS: 'org.apache.kafka.common.config.provider.FileConfigProvider',
  }
  service = await startService({ bootstrapServers: kafka.listener('LOGIN'), env })
  await service.register(
    NAME,
    connectorConfig({
      database: mysql,
      // The history has no account, so that only the records meet the access control lists.
      bootstrapServers: kafka.bootstrapServers,
      prefix: NAME,
      includes: 'shop',
      more: {
        'database.password': `\${file:${join(folder.path, 'secrets.properties')}:password}`,
        'retriable.restart.connector.wait.ms': '1000',
      },
    }),
  )
  await arrives(await insert())
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await Promise.all([kafka, mysql, folder].map((each) => each[Symbol.asyncDispose]()))
})

function writePassword(password: string): Promise<void> {
  return writeFile(join(folder.path, 'secrets.properties'), `password=${password}\n`)
}

async function insert(): Promise<number> {
  lastId += 1
  await mysql.query(`INSERT INTO shop.t (id) VALUES (${lastId})`)
  return lastId
}

async function ids(): Promise<readonly number[]> {
  return (await readTopic(kafka.bootstrapServers, TOPIC)).map(idOf)
}

function arrives(id: number): Promise<boolean> {
  return eventually(`row ${id} is in the topic`, async () => (await ids()).includes(id), {
    timeoutMs: 90_000,
    everyMs: 200,
  })
}

/** Ends the connections of the connector: they keep the rights with which they logged in. */
async function endConnections(): Promise<void> {
  const sessions = await mysql.query(`SELECT id FROM information_schema.processlist WHERE user = '${USER}'`)
  for (const { id, ID } of sessions) await mysql.query(`KILL ${String(id ?? ID)}`).catch(() => undefined)
}

interface Fault {
  readonly cause: () => Promise<void>
  /** Of the problem that a user sees; empty: none need be seen. */
  readonly codes: readonly string[]
  /** Whether the change that is made during the fault can be made before the repair. */
  readonly changesAfterwards?: boolean
  readonly repair: () => Promise<void>
  /** Whether the task fails meanwhile; false: it remains RUNNING. */
  readonly fails: boolean
}

const faults: Readonly<Record<string, Fault>> = {
  'the database is restarted': {
    cause: () => mysql.stop(),
    codes: ['MYSQL_UNREACHABLE', 'MYSQL_CONNECTION_LOST'],
    changesAfterwards: true,
    repair: () => mysql.start(),
    fails: false,
  },
  'the right to read the binlog is revoked': {
    cause: async () => {
      await mysql.query(`REVOKE REPLICATION SLAVE ON *.* FROM '${USER}'@'%'`)
      await endConnections()
    },
    codes: ['PRIVILEGE_REPLICATION_SLAVE'],
    repair: async () => void (await mysql.query(`GRANT REPLICATION SLAVE ON *.* TO '${USER}'@'%'`)),
    fails: true,
  },
  'the password is changed, and later the file with it': {
    cause: async () => {
      await mysql.query(`ALTER USER '${USER}'@'%' IDENTIFIED BY 'another'`)
      await endConnections()
    },
    codes: ['MYSQL_ACCESS_DENIED'],
    repair: () => writePassword('another'),
    fails: true,
  },
  'the database accepts no more connections': {
    cause: async () => {
      await mysql.query('SET GLOBAL max_connections = 1')
      await endConnections()
    },
    codes: ['MYSQL_BUSY'],
    repair: async () => void (await mysql.query('SET GLOBAL max_connections = 151')),
    fails: false,
  },
  'the broker is restarted': {
    cause: async () => kafka.brokers[0]?.stop(),
    codes: [
      'BROKER_UNREACHABLE',
      'CLUSTER_UNREACHABLE',
      'CONNECTION_LOST',
      'MEMBERSHIP_UNCONFIRMED',
      // With a record on its way.
      'RECORDS_NOT_WRITTEN',
    ],
    repair: async () => kafka.brokers[0]?.start(),
    fails: false,
  },
  'the permission to write to the topic is revoked': {
    cause: () => changeAccess(kafka, ['--add', ...denied('Write'), '--topic', TOPIC]),
    codes: ['NOT_AUTHORIZED'],
    repair: () => changeAccess(kafka, ['--remove', '--force', ...denied('Write'), '--topic', TOPIC]),
    fails: true,
  },
  'the topic accepts no records of this size': {
    cause: () => changeSettings(kafka, [...ofTopic, '--add-config', 'max.message.bytes=100']),
    codes: ['RECORD_TOO_LARGE'],
    repair: () => changeSettings(kafka, [...ofTopic, '--delete-config', 'max.message.bytes']),
    fails: true,
  },
  'the account has a quota': {
    cause: () => changeSettings(kafka, [...ofUser, '--add-config', 'producer_byte_rate=1']),
    codes: [],
    repair: () => changeSettings(kafka, [...ofUser, '--delete-config', 'producer_byte_rate']),
    fails: false,
  },
}

const ofTopic = ['--entity-type', 'topics', '--entity-name', TOPIC]
const ofUser = ['--entity-type', 'users', '--entity-name', ACCOUNT]

function denied(operation: string): readonly string[] {
  return ['--deny-principal', `User:${ACCOUNT}`, '--operation', operation]
}

for (const [name, { cause, codes, changesAfterwards = false, repair, fails }] of Object.entries(faults)) {
  test(`${name}: the user sees it, and nobody has to act on the connector`, async (t) => {
    await using course = new StatusCourse(service, NAME)
    let id = 0
    try {
      await cause()
      if (!changesAfterwards) id = await insert()
      if (codes.length > 0) {
        const isSeen = (): true => (course.saw(codes) ? true : assert.fail(course.text()))
        await eventually(`the problem is one of ${codes.join()}`, isSeen, { timeoutMs: 60_000 })
      }
    } catch (error) {
      await repair()
      throw error
    }
    const seen = course.seconds
    await repair()
    const repaired = course.seconds
    if (changesAfterwards) id = await insert()
    await arrives(id)
    const arrived = course.seconds
    await eventually('the task has no problem any more', () => course.sights.at(-1)?.condition === 'ok', {
      timeoutMs: 60_000,
    })
    t.diagnostic(`seen ${seen} s, repaired ${repaired} s, row arrived ${arrived} s: ${course.text()}`)
    assert.equal(
      course.sights.some(({ state }) => state === 'FAILED'),
      fails,
      course.text(),
    )
    const all = await ids()
    assert.deepEqual(
      [...new Set(all)].toSorted((a, b) => a - b),
      Array.from({ length: lastId }, (_, i) => i + 1),
    )
  })
}

test('the worker reads its internal topics again when it may, and can change connectors', async () => {
  const all = ['--add', ...denied('Read'), '--topic', `${service.name}_`, '--resource-pattern-type', 'prefixed']
  await changeAccess(kafka, all)
  await eventually('the worker is unhealthy', async () => (await service.rest('GET', '/health')).status !== 200, {
    timeoutMs: 60_000,
  })
  await changeAccess(kafka, ['--remove', '--force', ...all.slice(1)])
  await eventually('the worker is healthy', async () => (await service.rest('GET', '/health')).status === 200, {
    timeoutMs: 90_000,
  })
  const { status } = await service.rest('PUT', `/connectors/${NAME}/pause`)
  assert.equal(status, 202)
  await service.waitForTask(NAME, ['PAUSED'])
  await service.rest('PUT', `/connectors/${NAME}/resume`)
  await arrives(await insert())
})

test('the topic of the schema history is lost while the connector runs: it is made anew', async () => {
  await using admin = (await kafkaClient(kafka.bootstrapServers)).admin()
  assert.equal(await admin.deleteTopic(`schemahistory.${NAME}`), true)
  await mysql.stop()
  await mysql.start()
  await mysql.query('ALTER TABLE shop.t ADD more INT')
  await arrives(await insert())
})
