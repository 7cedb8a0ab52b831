/**
 * The documents that people have published, on Kafka Connect with Debezium and on Tributary in the same record format:
 * the same database history, and all topics compared.
 *
 *     npm run interop -- interop/documents
 *     DOCUMENTS=053,101 npm run interop -- interop/documents
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type DatabaseServer,
  type KafkaServer,
  type Service,
  startConnect,
  startKafka,
  startMariaDb,
  startMySql,
  startService,
  temporaryFolder,
} from '@tributary/testkit'
import { formatDifferences } from '../conformance/compare-recordings.ts'
import { explain } from '../conformance/difference-rules.ts'
import { filledConfig, type PublishedDocument, publishedDocuments } from '../documents/documents.ts'
import { type Expectation, expectations } from '../documents/expectations.ts'
import { isMariaDb, KAFKA_ACCOUNT, surroundingsOf, workerEnvironment } from '../documents/surroundings.ts'
import { documentDifferences, notOnConnect } from './documents/document-differences.ts'
import { type DocumentSide, runDocument } from './documents/document-run.ts'
import { presentDocument } from './documents/present-document.ts'
import type { Side } from './side.ts'

const wanted = process.env['DOCUMENTS']?.split(',')
const documents = publishedDocuments().filter(({ id }) => wanted?.includes(id) ?? true)

type Config = Readonly<Record<string, string>>

describe('published documents on both systems', () => {
  const resources = new AsyncDisposableStack()
  const sides: DocumentSide[] = []
  let databases: Readonly<Record<'mysql' | 'mariadb', DatabaseServer>>
  const folder = resources.use(temporaryFolder('documents'))
  const total = { ran: 0, records: 0, differences: 0, refused: 0 }

  before(async () => {
    databases = { mysql: resources.use(await startMySql()), mariadb: resources.use(await startMariaDb()) }
    const environment = workerEnvironment(databases.mysql)
    for (const side of ['connect', 'tributary'] as const) {
      const kafka = resources.use(await startKafkaWithLogin())
      sides.push({ side, kafka, service: resources.use(await startSide(side, kafka, environment)) })
    }
  })

  after(() => resources.disposeAsync())

  function configFor({ side, kafka }: DocumentSide, document: PublishedDocument): Config {
    const isLogin = Object.values(document.config).some((value) => value.includes('{{KAFKA_USER}}'))
    const bootstrapServers = isLogin ? kafka.listener('LOGIN') : kafka.bootstrapServers
    const servers = { ...databases, bootstrapServers, registryUrl: 'http://127.0.0.1:9', folder: folder.path }
    const config = filledConfig(document, surroundingsOf(document, servers))
    const { config: present } = presentDocument(config)
    if (side === 'connect') return { ...QUICK, ...present }
    const ours = Object.fromEntries(Object.entries(config).map(([name, value]) => [name, withoutAvro(value)]))
    return {
      ...QUICK,
      ...ours,
      'source.struct.version': 'v2',
      'database.server.id': `7${config['database.server.id']}`,
    }
  }

  for (const document of documents) {
    const expected = expectations[document.id]
    if (expected === undefined || expected.tag === 'refused' || document.id in notOnConnect) continue
    test(`${document.id}: ${expected.reason}`, async (t) => {
      const configs = Object.fromEntries(sides.map((each) => [each.side, configFor(each, document)])) as Record<
        Side,
        Config
      >
      const database = databases[isMariaDb(document.config) ? 'mariadb' : 'mysql']
      const outcome = await runDocument({ document, configs, table: tableOf(expected), database, sides })
      if (outcome.tag === 'refused') assert.fail(`${outcome.side} refuses it: ${outcome.text}`)
      const { unexplained, unused } = explain(document.id, outcome.differences, documentDifferences)
      const { changed } = presentDocument(document.config)
      t.diagnostic(
        `${document.id}: ${outcome.states.join(' / ')}, ${outcome.records} records, ${unexplained.length} differences` +
          ` (${outcome.differences.length - unexplained.length} deliberate); renamed for Debezium 3.6: ${changed.join(' ')}`,
      )
      if (unexplained.length > 0) t.diagnostic(formatDifferences(unexplained))
      total.ran += 1
      total.records += outcome.records
      total.differences += unexplained.length
      assert.deepEqual(
        stateWords(outcome.states),
        Array.from({ length: 2 }, () => stateOf(expected)),
        outcome.states.join('\n'),
      )
      assert.equal(formatDifferences(unexplained), '')
      assert.deepEqual(unused, [], 'a rule for a deliberate difference matched nothing')
      assert.ok(outcome.records > 0 || tableOf(expected) === null)
    })
  }

  for (const document of documents) {
    const expected = expectations[document.id]
    const why = notOnConnect[document.id]
    if (why === undefined && expected?.tag !== 'refused') continue
    test(`${document.id}: does not run on both: ${why?.reason ?? expected?.reason}`, async (t) => {
      const answers = await Promise.all(sides.map((side) => refusal(side, configFor(side, document))))
      t.diagnostic(`${document.id}: ${answers.join(' / ')}`)
      total.refused += 1
      const [connect = '', tributary = ''] = answers
      if (why === undefined) assert.notEqual(tributary, '')
      else if (why.isRefused) assert.notEqual(connect, '')
    })
  }

  test('totals', (t) => t.diagnostic(JSON.stringify({ tried: documents.length, ...total })))
})

/** Shortens the run, without an effect on records. */
const QUICK: Config = { 'poll.interval.ms': '50' }

/** The properties that validation refuses, or the error. */
async function refusal({ side, service }: DocumentSide, config: Config): Promise<string> {
  const path = `/connector-plugins/${config['connector.class']}/config/validate`
  const { status, json, text } = await service.rest('PUT', path, { name: 'document', ...config })
  if (status !== 200) return `${side}: ${text.slice(0, 200)}`
  const { configs } = json as { configs: { value: { name: string; errors: string[] } | null }[] }
  // Connect lists overrides of clients that it does not know without a value.
  const values = configs.flatMap(({ value }) => (value === null ? [] : [value]))
  const refused = values.filter(({ errors }) => errors.length > 0).map(({ name }) => name)
  return refused.length === 0 ? '' : `${side}: ${refused.join(' ')}`
}

function withoutAvro(value: string): string {
  return value === 'io.confluent.connect.avro.AvroConverter' ? 'org.apache.kafka.connect.json.JsonConverter' : value
}

function tableOf(expected: Expectation): string | null {
  return expected.tag === 'runs' ? expected.change.table : null
}

function stateOf(expected: Expectation): string {
  return expected.tag === 'yields nothing' ? (expected.task?.state ?? '') : 'RUNNING'
}

function stateWords(states: readonly string[]): readonly string[] {
  return states.map((state) => state.split(' ')[0] ?? '')
}

function startSide(side: Side, { bootstrapServers }: KafkaServer, environment: Config): Promise<Service> {
  if (side === 'tributary') return startService({ bootstrapServers, env: environment })
  const properties = Object.entries(environment).filter(([name]) => name.startsWith('CONNECT_'))
  Object.assign(process.env, environment)
  return startConnect({
    bootstrapServers,
    properties: Object.fromEntries(
      properties.map(([name, value]) => [name.slice('CONNECT_'.length).toLowerCase().replaceAll('_', '.'), value]),
    ),
    javaArgs: ['-Xmx768m'],
  })
}

function startKafkaWithLogin(): Promise<KafkaServer> {
  const { KAFKA_USER: user, KAFKA_PASSWORD: password } = KAFKA_ACCOUNT
  const login = `org.apache.kafka.common.security.plain.PlainLoginModule required user_${user}="${password}";`
  return startKafka({
    extraListeners: { LOGIN: 'SASL_PLAINTEXT' },
    config: { 'sasl.enabled.mechanisms': 'PLAIN', 'listener.name.login.plain.sasl.jaas.config': login },
  })
}
