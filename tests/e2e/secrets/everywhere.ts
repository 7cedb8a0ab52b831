import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  connectorConfig,
  type Database,
  freePort,
  type KafkaServer,
  type RestAnswer,
  runProgram,
  Service,
  startKafka,
  startService,
  uniqueName,
  useMySql,
  useProgram,
  waitForRecords,
} from '@tributary/testkit'
import { answersAbout, createUser, setPassword, topicTexts } from './secrets.ts'
import { type Mode, Vault } from './vault.ts'

const ENTRY = await useProgram()
const CLASS = 'io.debezium.connector.mysql.MySqlConnector'
/** The clients that log in to Kafka: the worker, the producer of the records, the schema history. */
const USERS = ['worker', 'producer', 'history'] as const

/** Where secrets in clear text are visible, as in Kafka Connect: in the submitted configurations only. */
const PLACES_OF_CLEAR = [
  'GET /connectors/NAME',
  'GET /connectors/NAME/config',
  'GET /connectors/NAME/tasks',
  'GET /connectors?expand=info&expand=status',
  'POST /connectors: 201',
  'topic WORKER_configs',
]

/** All texts of a run, by where they were found. */
type Texts = { readonly place: string; readonly text: string }[]

function sasl(prefix: string, login: string): Record<string, string> {
  return {
    [`${prefix}security.protocol`]: 'SASL_PLAINTEXT',
    [`${prefix}sasl.mechanism`]: 'PLAIN',
    [`${prefix}sasl.jaas.config`]: login,
  }
}

/** One run: a vault, the connector's configuration, and all texts. */
export class Run {
  readonly vault: Vault
  readonly texts: Texts = []
  readonly name: string = uniqueName('everywhere')
  readonly right: Readonly<Record<(typeof USERS)[number] | 'database' | 'keystore' | 'truststore', string>>
  readonly wrong: string
  readonly #database: Database
  readonly kafka: KafkaServer

  constructor(mode: Mode, database: Database, kafka: KafkaServer) {
    this.vault = new Vault(mode)
    this.#database = database
    this.kafka = kafka
    const make = (kind: string): string => this.vault.make(kind)
    this.right = {
      ...passwords,
      database: make('db'),
      keystore: make('keystore'),
      truststore: make('truststore'),
    }
    for (const user of USERS) this.vault.adopt(passwords[user])
    this.wrong = make('wrong')
  }

  /** Certificate and encrypted key of a client, which the server generated for itself. */
  #keyStore(): string {
    const { dataFolder } = this.#database
    const key = createPrivateKey(readFileSync(join(dataFolder, 'client-key.pem')))
    const encrypted = key.export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: this.right.keystore,
    })
    const path = join(this.vault.folder, 'client.pem')
    writeFileSync(path, `${readFileSync(join(dataFolder, 'client-cert.pem'), 'utf8')}\n${String(encrypted)}`)
    return path
  }

  /** The connector's configuration with one wrong secret. */
  config(wrong?: keyof Run['right']): Record<string, string> {
    const secret = (name: keyof Run['right']): string => (name === wrong ? this.wrong : this.right[name])
    const named = (name: keyof Run['right']): string => this.vault.name(secret(name))
    const bootstrapServers = this.kafka.listener('LOGIN')
    const history = this.vault.login('history', secret('history'))
    return {
      ...connectorConfig({ database: this.#database, bootstrapServers, prefix: this.name, includes: this.name }),
      'database.user': this.name,
      'database.password': named('database'),
      'database.ssl.mode': 'verify_ca',
      'database.ssl.truststore': join(this.#database.dataFolder, 'ca.pem'),
      'database.ssl.truststore.password': named('truststore'),
      'database.ssl.keystore': this.#keyStore(),
      'database.ssl.keystore.password': named('keystore'),
      ...sasl('schema.history.internal.producer.', history),
      ...sasl('schema.history.internal.consumer.', history),
      ...sasl('producer.override.', this.vault.login('producer', secret('producer'))),
    }
  }

  /** The environment of the service. */
  environment(workerPassword: string): Record<string, string> {
    return {
      LOG_LEVEL: 'trace',
      ...this.vault.environment(),
      CONNECT_SECURITY_PROTOCOL: 'SASL_PLAINTEXT',
      CONNECT_SASL_MECHANISM: 'PLAIN',
      CONNECT_SASL_JAAS_CONFIG: this.vault.login('worker', workerPassword),
    }
  }

  note(place: string, text: string): void {
    this.texts.push({ place: place.replace(this.name, 'NAME'), text })
  }

  async post(service: Service, config: Readonly<Record<string, string>>): Promise<RestAnswer> {
    const answer = await service.rest('POST', '/connectors', { name: this.name, config })
    this.note(`POST /connectors: ${answer.status}`, answer.text)
    return answer
  }

  async noteAnswers(service: Service): Promise<void> {
    for (const { path, text } of await answersAbout(service, this.name)) this.note(`GET ${path}`, text)
  }

  /** The output of the command line about the connector. */
  async noteCommands(service: Service): Promise<void> {
    const file = join(this.vault.folder, 'connector.json')
    writeFileSync(file, JSON.stringify({ name: this.name, config: this.config('database') }))
    const commands = [['list'], ['get', this.name], ['status', this.name], ['create', file]]
    for (const command of commands) {
      const args = [ENTRY, 'connectors', ...command, '--url', service.url]
      const { stdout, stderr } = await runProgram(process.execPath, args)
      assert.ok(`${stdout}${stderr}`.includes(this.name), stderr)
      this.note(`tributary connectors ${command[0]}`, stdout + stderr)
    }
  }

  /** Where a secret was found. */
  leaks(): readonly string[] {
    const found = this.texts.filter(({ text }) => this.vault.foundIn(text).length > 0)
    return [...new Set(found.map(({ place }) => place))].toSorted()
  }
}

const passwords: Record<(typeof USERS)[number], string> = {
  worker: uniqueName('hiddenworker'),
  producer: uniqueName('hiddenproducer'),
  history: uniqueName('hiddenhistory'),
}

/** A broker whose listener LOGIN knows those passwords. */
export async function startKafkaWithLogin(): Promise<KafkaServer> {
  const users = USERS.map((user) => `user_${user}="${passwords[user]}"`).join(' ')
  const login = `org.apache.kafka.common.security.plain.PlainLoginModule required ${users};`
  return startKafka({
    extraListeners: { LOGIN: 'SASL_PLAINTEXT' },
    config: { 'sasl.enabled.mechanisms': 'PLAIN', 'listener.name.login.plain.sasl.jaas.config': login },
  })
}

/** The registration or the task reports each error of the connector's configuration. */
async function failAtStart(run: Run, service: Service): Promise<void> {
  for (const wrong of ['database', 'keystore'] as const) {
    const { status, text } = await run.post(service, run.config(wrong))
    assert.equal(status, 400, text)
  }
  for (const wrong of ['producer', 'history'] as const) {
    assert.equal((await run.post(service, run.config(wrong))).status, 201)
    const { trace } = await service.waitForTask(run.name, ['FAILED'])
    assert.match(trace, /AUTHENTICATION_FAILED/)
    await run.noteAnswers(service)
    assert.equal((await service.rest('DELETE', `/connectors/${run.name}`)).status, 204)
  }
  const broken = { ...run.config(), 'producer.override.sasl.jaas.config': run.vault.login('a', run.wrong).slice(0, -2) }
  assert.equal((await run.post(service, broken)).status, 400)
}

/** Cuts the connection that reads the binlog, so that the task needs a new one. */
export async function cutBinlog(database: Database, user: string): Promise<void> {
  const threads = await database.query(
    `SELECT id FROM information_schema.processlist WHERE user = '${user}' AND command LIKE 'Binlog Dump%'`,
  )
  assert.equal(threads.length, 1)
  await database.query(`KILL ${String(threads[0]?.['id'] ?? threads[0]?.['ID'])}`)
}

/** The password is changed while the connector runs, and its connections are cut. */
async function failAtRunTime(run: Run, service: Service, database: Database): Promise<void> {
  await setPassword(database, run.name, 'another')
  await cutBinlog(database, run.name)
  const { trace } = await service.waitForTask(run.name, ['FAILED'])
  assert.match(trace, /Access denied/)
}

/** A worker whose login fails reports it and exits. */
async function failAsWorker(run: Run): Promise<void> {
  const options = { bootstrapServers: run.kafka.listener('LOGIN'), env: run.environment(run.wrong) }
  await using refused = new Service(options, await freePort())
  await assert.rejects(refused.start(), /ended while it was starting/)
  assert.match(refused.log, /Worker cannot start: .* rejected user worker with PLAIN/)
  run.note('log of the refused worker', refused.log)
}

/**
 * A run with a secret in every place that accepts one, with refusals and failures at start and at run time. No answer,
 * log, trace or topic contains one, except where Connect itself stores clear text.
 */
export async function checkSecrets(mode: Mode): Promise<void> {
  const database = await useMySql()
  await using kafka = await startKafkaWithLogin()
  const run = new Run(mode, database, kafka)
  using _vault = run.vault
  await createUser(database, run.name, run.right.database)
  await database.query(`CREATE DATABASE ${run.name}; CREATE TABLE ${run.name}.t (id INT PRIMARY KEY)`)
  await database.query(`INSERT INTO ${run.name}.t VALUES (1)`)
  await using service = await startService({
    bootstrapServers: kafka.listener('LOGIN'),
    env: run.environment(run.right.worker),
  })

  await failAtStart(run, service)
  assert.equal((await run.post(service, run.config())).status, 201)
  await waitForRecords(kafka.bootstrapServers, `${run.name}.${run.name}.t`, 1)
  await service.waitForLog(/Connected to binlog at/)
  await run.noteAnswers(service)
  const validated = await service.rest('PUT', `/connector-plugins/${CLASS}/config/validate`, run.config('database'))
  run.note('PUT validate', validated.text)
  await failAtRunTime(run, service, database)
  await run.noteAnswers(service)
  await run.noteCommands(service)
  await service.stop()
  await failAsWorker(run)

  run.note('log', service.log)
  for (const { topic, text } of await topicTexts(kafka.bootstrapServers, [run.name, service.name])) {
    run.note(`topic ${topic.replace(service.name, 'WORKER')}`, text)
  }
  assert.deepEqual(run.leaks(), mode === 'in clear' ? PLACES_OF_CLEAR : [])
  assert.ok(run.texts.some(({ place, text }) => place === 'topic WORKER_configs' && text.includes(run.name)))
  assert.ok(run.texts.length > 30, `${run.texts.length} texts`)
}
