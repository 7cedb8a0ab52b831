import { createKafka, type Kafka } from '@tributary/kafka'
import { silentLogger, StoppedError, systemClock, throwIfStopped, withTimeout } from '@tributary/support'
import { freePort } from '@tributary/testkit'
import { deleteTopics, dropDatabase } from './clean-up.ts'
import { isConnectorRunning } from '../stage/connector.ts'
import type { Demo } from '../stage/demo.ts'
import { demoErrors } from '../stage/errors.ts'
import { EventLog } from '../stage/event-log.ts'
import type { Names } from '../stage/names.ts'
import type { DemoOptions } from '../stage/options.ts'
import type { Presenter } from '../stage/presenter.ts'
import { SampleDatabase } from '../stage/sample-database.ts'
import { sampleTables } from '../stage/sample.ts'
import { Service } from '../stage/service.ts'
import { setStage, type Stage } from '../stage/stage.ts'

export interface SetUp {
  readonly options: DemoOptions
  readonly names: Names
  readonly presenter: Presenter
  /** The demo's folder for logs and scripts. */
  readonly folder: string
  readonly signal: AbortSignal
}

/** The number of steps that `setUp` prints. */
export const SET_UP_STEPS = 3

/** Runs the first steps: servers, sample, service. Puts the removal of each on the stack before creating it. */
export async function setUp(parts: SetUp, stack: AsyncDisposableStack): Promise<Demo> {
  const { names, presenter, folder, signal } = parts
  const { stage, kafka, sample, isMariaDb } = await setUpServers(parts, stack)

  throwIfStopped(signal)
  presenter.step(`Creating the sample database ${names.database}: a small shop`)
  if (!stage.database.isOurs) stack.defer(() => dropDatabase(sample, names, presenter))
  await sample.create()
  presenter.line(await rowCounts(sample))
  presenter.stepDone()

  throwIfStopped(signal)
  presenter.step('Starting Tributary')
  if (!stage.isKafkaOurs) stack.defer(() => deleteTopics(kafka, names, presenter))
  const service = stack.use(new Service(await freePort(), { kafka: stage.kafka, names, folder }))
  await service.start(signal)
  const watchdog = (): Promise<unknown> => isConnectorRunning(service.url, names)
  const events = stack.use(new EventLog({ kafka, watchdog, readLog: () => service.log(), signal }))
  presenter.line(`REST interface: ${service.url}, log file: ${service.logFile}`)
  presenter.stepDone()
  const registration = { names, database: stage.database, isMariaDb, kafka: stage.kafka }
  return { presenter, names, stage, sample, service, registration, events, expected: [], signal }
}

interface Servers {
  readonly stage: Stage
  readonly kafka: Kafka
  readonly sample: SampleDatabase
  readonly isMariaDb: boolean
}

async function setUpServers(
  { options, names, presenter, folder, signal }: SetUp,
  stack: AsyncDisposableStack,
): Promise<Servers> {
  presenter.step(titleOf(options))
  const stage = await setStage(options, folder, stack, signal)
  const kafka = connect(stage)
  await reachKafka(kafka, stage, signal)
  const sample = stack.use(await SampleDatabase.connect(stage.database.admin, names, signal))
  const version = await sample.version()
  const isMariaDb = /mariadb/i.test(version)
  const { host, port } = stage.database.admin
  presenter.line(
    `${isMariaDb ? 'MariaDB' : 'MySQL'} ${version} at ${host}:${port}, ${nameOf(options)} at ${stage.kafka}`,
  )
  presenter.stepDone()
  return { stage, kafka, sample, isMariaDb }
}

function nameOf({ broker }: DemoOptions): string {
  return broker.tag === 'development' ? 'the development broker' : 'Kafka'
}

function titleOf(options: DemoOptions): string {
  const { database, broker, flavor } = options
  const product = flavor === 'mysql' ? 'MySQL' : 'MariaDB'
  const started = [...(database === null ? [product] : []), ...(broker.tag === 'own' ? [] : [nameOf(options)])]
  return started.length === 0 ? 'Connecting to your servers' : `Starting ${started.join(' and ')}`
}

async function rowCounts(sample: SampleDatabase): Promise<string> {
  const counts: string[] = []
  for (const table of sampleTables) counts.push(`${(await sample.rows(table)).length} ${table.name}`)
  return `Rows: ${counts.join(', ')}`
}

function connect({ kafka }: Stage): Kafka {
  const bootstrapServers = kafka.split(',')
  return createKafka({ bootstrapServers, clientId: 'tributary-demo', logger: silentLogger, clock: systemClock })
}

const REACH_LIMIT_MS = 15_000

/** Fails after a time limit; the client itself would wait for the broker forever. */
async function reachKafka(kafka: Kafka, { kafka: address }: Stage, signal: AbortSignal): Promise<void> {
  await using admin = kafka.admin()
  try {
    await withTimeout(systemClock, REACH_LIMIT_MS, (limit) => admin.cluster(limit), signal)
  } catch (error) {
    if (!(error instanceof StoppedError) || signal.aborted) throw error
    throw demoErrors.DEMO_NO_KAFKA({ address, timeoutMs: REACH_LIMIT_MS }, error)
  }
}
