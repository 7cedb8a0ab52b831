import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startBroker } from '@tributary/broker'
import { createKafka, type Kafka, type RecordPart } from '@tributary/kafka'
import { silentLogger, systemClock } from '@tributary/support'
import {
  eventually,
  freePort,
  fullTest,
  runKafkaTool,
  runProgram,
  startFaultProxy,
  uniqueName,
  useKafka,
} from '@tributary/testkit'
import { CliProcess, commandEnvironment, mainFile, runCli } from '../testing/cli-process.ts'

let servers = ''
let kafka: Kafka

before(async () => {
  const { bootstrapServers } = await useKafka()
  servers = bootstrapServers.join(',')
  kafka = createKafka({ bootstrapServers, clientId: 'watch-test', logger: silentLogger, clock: systemClock })
})

type Part = string | Buffer | null

/** Writes records to a topic, and creates it with that many partitions if it does not exist. */
async function produce(
  topic: string,
  records: readonly (readonly [key: Part, value: Part])[],
  partitions = 1,
): Promise<void> {
  await using admin = kafka.admin()
  await admin.createTopic({ name: topic, partitions, replicationFactor: 1 })
  await using producer = await kafka.producer({ onDelivered: () => undefined })
  const target = await producer.topic(topic)
  for (const [token, [key, value]] of records.entries()) {
    target.send({ key: part(key), value: part(value), headers: [], partition: null, timestamp: null, token })
  }
  await producer.flush()
}

function part(content: Part): RecordPart | null {
  if (content === null) return null
  const buffer = Buffer.from(content)
  return { prefix: Buffer.alloc(0), buffer, start: 0, end: buffer.length }
}

function watch(...args: string[]): CliProcess {
  return new CliProcess(['watch', ...args], { BOOTSTRAP_SERVERS: servers })
}

const CONSUMER = 'org.apache.kafka.tools.consumer.ConsoleConsumer'

function fromStart(topic: string, count: number): string[] {
  return ['--bootstrap-server', servers, '--topic', topic, '--from-beginning', '--max-messages', String(count)]
}

test("with keys, the output for each partition is byte for byte that of Kafka's console consumer", async () => {
  const topic = uniqueName('watched')
  const records = Array.from({ length: 60 }, (_, i): [Part, Part] => {
    const key = `{"schema":null,"payload":{"id":${i % 7}}}`
    return [
      i % 11 === 0 ? null : key,
      i % 5 === 3 ? null : `{"schema":null,"payload": {"n":${i},"text":"Größe \\u0007 ${'x'.repeat(i * 40)}"}}`,
    ]
  })
  await produce(topic, records, 3)
  const consumed = await runKafkaTool(CONSUMER, [
    ...fromStart(topic, records.length),
    ...['print.partition=true', 'print.key=true'].flatMap((property) => ['--formatter-property', property]),
  ])
  assert.equal(consumed.code, 0, consumed.stderr)
  // Kafka's consumer prints the word null for a tombstone.
  const expected = consumed.stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/\tnull$/, '\t{"schema":null,"payload":null}'))
  assert.equal(expected.length, records.length)

  const { code, stdout, stderr } = await watch('-a', '-k', '--max-messages', String(records.length), topic).end()

  assert.deepEqual([code, stderr], [0, ''])
  const lines = stdout.trimEnd().split('\n')
  for (const partition of ['Partition:0\t', 'Partition:1\t', 'Partition:2\t']) {
    const ofPartition = expected
      .filter((line) => line.startsWith(partition))
      .map((line) => line.slice(partition.length))
    assert.ok(ofPartition.length > 0)
    const ours = lines.filter((line) => ofPartition.includes(line))
    assert.deepEqual(ours, ofPartition)
  }
  assert.deepEqual(lines.toSorted(), expected.map((line) => line.replace(/^Partition:\d\t/, '')).toSorted())
})

fullTest("without keys, the output is byte for byte that of Kafka's console consumer", async () => {
  const topic = uniqueName('watched')
  await produce(topic, [
    ['a', '{"n":1}'],
    [null, 'plain text \u0000 with a control'],
    ['b', ' [1, 2]\t'],
    ['c', ''],
  ])
  const consumed = await runKafkaTool(CONSUMER, fromStart(topic, 4))

  const { stdoutBytes } = await watch('--from-beginning', '--max-messages', '4', topic).end()

  assert.equal(consumed.code, 0, consumed.stderr)
  assert.deepEqual(stdoutBytes, consumed.stdoutBytes)
})

test('bytes that are not UTF-8 are printed in base64, with one note', async () => {
  const topic = uniqueName('watched')
  await produce(topic, [
    ['k', Buffer.from('00ff', 'hex')],
    ['k', Buffer.from('0aff', 'hex')],
  ])

  const { stdout, stderr } = await watch('-a', '-k', '--max-messages', '2', topic).end()

  assert.equal(stdout, 'k\tAP8=\nk\tCv8=\n')
  assert.equal(
    stderr,
    `tributary watch: values of topic ${topic} are not UTF-8 text (partition 0, offset 0); shown in base64\n`,
  )
})

test('without -a only new records are printed', async () => {
  const topic = uniqueName('watched')
  await produce(topic, [['k', 'old']])
  await using command = watch(topic)
  let sent = 0
  await eventually('a new record is shown', async () => {
    await produce(topic, [['k', `new ${sent++}`]])
    return command.stdout !== ''
  })
  assert.match(command.stdout, /^new \d+\n/)
})

test('watch waits for a topic that does not exist, and prints it from its start', async () => {
  const topic = uniqueName('watched')
  await using command = watch('--max-messages', '2', topic)
  await command.printsError(`tributary watch: topic ${topic} does not exist; waiting for it\n`)
  await using admin = kafka.admin()
  assert.equal(await admin.describeTopic(topic), null)

  await produce(topic, [
    ['k', 'first'],
    ['k', 'second'],
  ])

  const { code, stdout } = await command.end()
  assert.deepEqual([code, stdout], [0, 'first\nsecond\n'])
})

fullTest('watch waits for a deleted topic to be created again', async () => {
  const topic = uniqueName('watched')
  await produce(topic, [['k', 'of the first']])
  await using command = watch('-a', '--max-messages', '2', topic)
  await eventually('the first record is shown', () => command.stdout === 'of the first\n')
  await using admin = kafka.admin()
  await admin.deleteTopic(topic)
  await command.printsError(`topic ${topic} was deleted; waiting for it`)

  await produce(topic, [['k', 'of the second']])

  assert.equal((await command.end()).stdout, 'of the first\nof the second\n')
})

test('watch reports an unreachable broker once and waits for it', async () => {
  const topic = uniqueName('watched')
  await produce(topic, [['k', 'there']])
  const [host = '', port = ''] = servers.split(':')
  await using proxy = await startFaultProxy({ target: { host, port: Number(port) }, port: await freePort() })
  proxy.refuse()
  await using command = watch('-a', '--max-messages', '1', '--bootstrap-server', `127.0.0.1:${proxy.port}`, topic)
  await command.printsError(`No Kafka broker answers at 127.0.0.1:${proxy.port}`)
  await eventually('it has tried several times', () => proxy.accepted > 3)

  proxy.resume()

  const { code, stdout, stderr } = await command.end()
  assert.deepEqual([code, stdout], [0, 'there\n'])
  assert.equal(stderr.match(/No Kafka broker answers/g)?.length, 1, stderr)
})

fullTest(
  '--timeout-ms: the exit code is 0 after a quiet time, and 1 if the topic could not be read at all',
  async () => {
    const topic = uniqueName('watched')
    await produce(topic, [['k', 'one']])
    const quiet = await watch('-a', '--timeout-ms', '3000', topic).end()
    assert.deepEqual([quiet.code, quiet.stdout], [0, 'one\n'], quiet.stderr)

    const missing = await watch('-a', '--timeout-ms', '500', uniqueName('missing')).end()
    assert.deepEqual([missing.code, missing.stdout], [1, ''])
    assert.match(missing.stderr, /could not be read within 500 ms\. Check the name of the topic/)
  },
)

test('a closed pipe ends watch with 0 and without a message', async () => {
  const topic = uniqueName('watched')
  await produce(topic, [['k', 'one']])
  await using command = watch('-a', topic)
  await eventually('the first record is shown', () => command.stdout === 'one\n')
  command.child.stdout.destroy()
  await eventually('watch has written to the closed pipe', async () => {
    await produce(topic, [['k', 'more']])
    return command.child.exitCode !== null
  })
  assert.deepEqual([command.child.exitCode, command.stderr], [0, ''])
})

test('Ctrl-C ends watch with 0, also when it arrives twice', async () => {
  const topic = uniqueName('watched')
  await produce(topic, [['k', 'one']])
  await using command = watch('-a', topic)
  await eventually('the first record is shown', () => command.stdout === 'one\n')
  command.child.kill('SIGINT')
  command.child.kill('SIGINT')
  const { code, stderr } = await command.end()
  assert.deepEqual([code, stderr], [0, ''])
})

test('on a terminal documents are indented, and coloured unless NO_COLOR is set', async () => {
  const topic = uniqueName('watched')
  await produce(topic, [
    ['{"id":1}', '{"ts_ns":1795272878708654001,"none":[]}'],
    ['{"id":1}', null],
  ])
  // The program script of util-linux runs the command on a terminal, which turns \n into \r\n.
  const onTerminal = async (environment: Readonly<Record<string, string>>): Promise<string> => {
    const command = `${process.execPath} ${mainFile} watch -a -k --max-messages 2 ${topic}`
    const env = commandEnvironment({ BOOTSTRAP_SERVERS: servers, ...environment })
    const { code, stdout } = await runProgram('script', ['-qec', command, '/dev/null'], { env })
    assert.equal(code, 0, stdout)
    return stdout.replaceAll('\r\n', '\n')
  }

  assert.equal(
    await onTerminal({ NO_COLOR: '1' }),
    `── partition 0, offset 0
{
  "id": 1
}
{
  "ts_ns": 1795272878708654001,
  "none": []
}
── partition 0, offset 1, tombstone
{
  "id": 1
}
null
`,
  )
  const coloured = await onTerminal({})
  assert.ok(coloured.includes('\u001B[36m"ts_ns"\u001B[39m: \u001B[33m1795272878708654001\u001B[39m'), coloured)
})

fullTest('watch logs in with the CONNECT_ variables of a worker', async () => {
  const login = 'org.apache.kafka.common.security.plain.PlainLoginModule required'
  await using secured = await startBroker({ users: { alice: 'secret' } })
  const watchAs = (password: string): Promise<{ code: number; stderr: string }> =>
    runCli(['watch', '--timeout-ms', '5000', '--bootstrap-server', secured.bootstrapServers, 'missing'], {
      CONNECT_SECURITY_PROTOCOL: 'SASL_PLAINTEXT',
      CONNECT_SASL_MECHANISM: 'PLAIN',
      CONNECT_SASL_JAAS_CONFIG: `${login} username="alice" password="${password}";`,
    })

  assert.match((await watchAs('secret')).stderr, /topic missing does not exist; waiting for it/)
  const refused = await watchAs('wrong')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /rejected user alice with PLAIN/)
})
