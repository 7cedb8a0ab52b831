/** The output of a service that cannot start, and of one that waits for its brokers. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  eventually,
  freePort,
  fullTest,
  kafkaClient,
  runProgram,
  Service,
  startFaultProxy,
  temporaryFolder,
  uniqueName,
  useKafka,
  useProgram,
} from '@tributary/testkit'

type Environment = Readonly<Record<string, string>>

const MAIN = await useProgram()
/** Nobody listens there; a refused start does not connect. */
const NO_BROKER = '127.0.0.1:1'
const complete: Environment = { BOOTSTRAP_SERVERS: NO_BROKER, CONFIG_STORAGE_TOPIC: 'c', OFFSET_STORAGE_TOPIC: 'o' }

const ENV_PROVIDER: Environment = {
  CONNECT_CONFIG_PROVIDERS: 'env',
  CONNECT_CONFIG_PROVIDERS_ENV_CLASS: 'org.apache.kafka.common.config.provider.EnvVarConfigProvider',
}

/** Exit code of a worker whose settings are valid, but cannot be used. */
const FAILED = 1
/** Exit code for an invalid command line, properties file or setting. */
const INVALID = 2

/** Runs `tributary start` to its end, and returns its exit code and output. */
async function refusalOf(env: Environment, ...args: readonly string[]): Promise<readonly [number, string]> {
  const { code, stdout, stderr } = await runProgram(process.execPath, [MAIN, 'start', ...args], {
    env: { BOOTSTRAP_SERVERS: '', ...env },
  })
  assert.equal(stderr, '')
  const last = stdout.trim().split('\n').at(-1) ?? ''
  return [code, /ERROR {2}\|\| {2}Worker cannot start: (.*)$/.exec(last)?.[1] ?? last]
}

test('missing or wrong settings: all of them, and how to set each', async () => {
  await using folder = temporaryFolder('start')
  const file = join(folder.path, 'worker.properties')
  writeFileSync(file, 'bootstrap.servers=127.0.0.1:1\ngroup.id=\\u12G4\n')
  await using taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo

  const cases: readonly (readonly [start: ReturnType<typeof refusalOf>, code: number, expected: string])[] = [
    [
      refusalOf({}),
      INVALID,
      'No Kafka broker is configured. Set BOOTSTRAP_SERVERS=host:port in the environment, or bootstrap.servers in the properties file given to `tributary start`.',
    ],
    [
      refusalOf({ BOOTSTRAP_SERVERS: NO_BROKER }),
      INVALID,
      'The worker configuration is incomplete. Missing: config.storage.topic, the topic where connector configurations will be stored (single partition, compacted, as many replicas as you can); offset.storage.topic, the topic where connector offsets will be stored (many partitions, compacted). Set CONFIG_STORAGE_TOPIC and OFFSET_STORAGE_TOPIC in the environment, or config.storage.topic and offset.storage.topic in the properties file given to `tributary start`.',
    ],
    [
      refusalOf({ ...complete, REST_PORT: 'abc', OFFSET_FLUSH_INTERVAL_MS: 'soon' }),
      INVALID,
      'The worker configuration is invalid: Invalid value soon for configuration offset.flush.interval.ms: Not a number of type LONG; Invalid value abc for configuration rest.port: Not a number of type INT. Correct OFFSET_FLUSH_INTERVAL_MS and REST_PORT in the environment, or offset.flush.interval.ms and rest.port in the properties file given to `tributary start`.',
    ],
    [
      refusalOf({ ...complete, ...ENV_PROVIDER, HIDDEN: 'hunter2', OFFSET_FLUSH_INTERVAL_MS: '${env:HIDDEN}' }),
      INVALID,
      'The worker configuration is invalid: Invalid value ${env:HIDDEN} for configuration offset.flush.interval.ms: Not a number of type LONG. Correct OFFSET_FLUSH_INTERVAL_MS in the environment, or offset.flush.interval.ms in the properties file given to `tributary start`.',
    ],
    [
      refusalOf({ ...complete, ...ENV_PROVIDER, GROUP_ID: '${env:NOT_SET}' }),
      FAILED,
      'group.id refers to ${env:NOT_SET}, which has no value: the environment of the service has no variable NOT_SET. Correct the reference, or put the value where it points to. The worker resolves it when the service starts, when a connector is registered, and when its task starts.',
    ],
    [
      refusalOf({ ...complete, CONNECT_REST_EXTENSION_CLASSES: 'com.example.Login' }),
      INVALID,
      'The worker setting rest.extension.classes=com.example.Login is not supported by this version of Tributary: without it everybody who reaches the REST interface could change connectors; a login is set with rest.auth.basic.file or rest.auth.bearer.file. Remove it (CONNECT_REST_EXTENSION_CLASSES in the environment) if you do not need it.',
    ],
    [
      refusalOf(complete, join(folder.path, 'none.properties')),
      INVALID,
      `The properties file ${join(folder.path, 'none.properties')} cannot be read: ENOENT: no such file or directory, open '${join(folder.path, 'none.properties')}'. Name a file in the format of Kafka’s connect-distributed.properties, or none.`,
    ],
    [
      refusalOf(complete, file),
      INVALID,
      `The properties file ${file} cannot be read: line 2: \\u is not followed by four hexadecimal digits. Name a file in the format of Kafka’s connect-distributed.properties, or none.`,
    ],
    [
      refusalOf({ ...complete, REST_HOST_NAME: '127.0.0.1', REST_PORT: String(port) }),
      FAILED,
      `The REST interface cannot listen on 127.0.0.1:${port}: another program already listens there. Stop that program, or set REST_PORT (rest.port, listeners) to a free port. ← listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
    ],
  ]
  const refusals = await Promise.all(cases.map(([start]) => start))
  assert.deepEqual(
    refusals,
    cases.map(([, code, expected]) => [code, expected]),
  )
})

test('internal topics that would lose records are refused', async () => {
  const { bootstrapServers } = await useKafka()
  const name = uniqueName('policy')
  await using admin = (await kafkaClient(bootstrapServers)).admin()
  const topic = { partitions: 1, replicationFactor: 1 }
  await admin.createTopic({ ...topic, name: `${name}_offsets`, configs: { 'cleanup.policy': 'delete' } })
  await admin.createTopic({ ...topic, name: `${name}_wide`, partitions: 3, configs: { 'cleanup.policy': 'compact' } })
  const env = {
    BOOTSTRAP_SERVERS: bootstrapServers.join(','),
    CONFIG_STORAGE_TOPIC: `${name}_configs`,
    OFFSET_STORAGE_TOPIC: `${name}_offsets`,
    STATUS_STORAGE_TOPIC: `${name}_statuses`,
    REST_HOST_NAME: '127.0.0.1',
    REST_PORT: '0',
  }
  const [policy, partitions] = await Promise.all([
    refusalOf({ ...env, GROUP_ID: name }),
    refusalOf({ ...env, GROUP_ID: `${name}_wide`, CONFIG_STORAGE_TOPIC: `${name}_wide` }),
  ])
  assert.deepEqual(policy, [
    FAILED,
    `Topic '${name}_offsets' supplied via the 'offset.storage.topic' property is required to have 'cleanup.policy=compact' to guarantee consistency and durability of source connector offsets, but found the topic currently has 'cleanup.policy=delete'. Continuing would likely result in eventually losing source connector offsets and problems restarting this Connect cluster in the future. Change the 'offset.storage.topic' property in the worker configuration to use a topic with 'cleanup.policy=compact', or run: kafka-configs.sh --bootstrap-server ${bootstrapServers.join(',')} --alter --entity-type topics --entity-name ${name}_offsets --add-config cleanup.policy=compact`,
  ])
  assert.deepEqual(partitions, [
    FAILED,
    `Topic '${name}_wide' supplied via the 'config.storage.topic' property is required to have a single partition in order to guarantee consistency of connector configurations, but found 3 partitions. Partitions cannot be removed. Name another topic, which is created with the right settings when it does not exist; or, if no connector is stored in this one, run: kafka-topics.sh --bootstrap-server ${bootstrapServers.join(',')} --delete --topic ${name}_wide`,
  ])
})

fullTest(
  'the service waits for unreachable brokers, reports it, stops on SIGTERM, and continues when they are back',
  async () => {
    const { bootstrapServers } = await useKafka()
    const closedPort = await freePort()
    await using service = new Service({ bootstrapServers: [`127.0.0.1:${closedPort}`] }, await freePort())
    const message = `Worker is still starting up. Waiting for the brokers at 127.0.0.1:${closedPort}`
    // The start takes half a second, or half a minute when the machine is busy with other suites.
    const reportsItsStart = (): Promise<boolean> =>
      eventually(
        'the service reports that it waits for the brokers',
        async () => {
          const { status, json } = await service.rest('GET', '/health')
          assert.deepEqual({ status, json }, { status: 503, json: { status: 'starting', message } })
          return true
        },
        { timeoutMs: 60_000 },
      )

    const stop = new AbortController()
    const env = {
      ...complete,
      BOOTSTRAP_SERVERS: `127.0.0.1:${closedPort}`,
      REST_HOST_NAME: '127.0.0.1',
      REST_PORT: String(service.port),
    }
    // If a failure left the program running, this process, and so the whole run, would not end.
    using _stopped = { [Symbol.dispose]: (): void => stop.abort() }
    const run = runProgram(process.execPath, [MAIN, 'start'], { env, signal: stop.signal })
    await reportsItsStart()
    const { status, json } = await service.rest('GET', '/connectors')
    assert.deepEqual({ status, json }, { status: 503, json: { error_code: 503, message } })
    stop.abort()
    const { code, stdout, stderr } = await run
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    assert.match(stdout, new RegExp(`WARN {3}\\|\\|.*127\\.0\\.0\\.1:${closedPort}.*ECONNREFUSED`))

    const started = service.start()
    await reportsItsStart()
    const [host = '', port] = (bootstrapServers[0] ?? '').split(':')
    // Only the bootstrap address leads through it: the cluster reports its own addresses.
    await using _brokers = await startFaultProxy({ target: { host, port: Number(port) }, port: closedPort })
    await started
    assert.deepEqual((await service.rest('GET', '/connectors')).json, [])
  },
)
