/** The commands in the errors of internal topics, run with Kafka's own tools, let the worker start. */
import {
  kafkaClient,
  type KafkaServer,
  runKafkaTool,
  runProgram,
  startKafka,
  startService,
  temporaryFolder,
  useProgram,
} from '@tributary/testkit'
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const MAIN = await useProgram()
const TOOLS: Readonly<Record<string, string>> = {
  'kafka-configs.sh': 'kafka.admin.ConfigCommand',
  'kafka-topics.sh': 'org.apache.kafka.tools.TopicCommand',
  'kafka-reassign-partitions.sh': 'org.apache.kafka.tools.reassign.ReassignPartitionsCommand',
}
const WITH_THREE: Readonly<Record<string, string>> = Object.fromEntries(
  ['CONFIG', 'OFFSET', 'STATUS'].map((kind) => [`CONNECT_${kind}_STORAGE_REPLICATION_FACTOR`, '3']),
)

/** Starts a worker whose topics begin with this name, and returns why it does not start. */
async function refusal(kafka: KafkaServer, name: string): Promise<string> {
  const { code, stdout } = await runProgram(process.execPath, [MAIN, 'start'], {
    env: {
      ...WITH_THREE,
      BOOTSTRAP_SERVERS: kafka.bootstrapServers.join(','),
      GROUP_ID: name,
      CONFIG_STORAGE_TOPIC: `${name}_configs`,
      OFFSET_STORAGE_TOPIC: `${name}_offsets`,
      STATUS_STORAGE_TOPIC: `${name}_statuses`,
      REST_HOST_NAME: '127.0.0.1',
      REST_PORT: '0',
    },
  })
  assert.equal(code, 1, stdout)
  return /Worker cannot start: (.*)/.exec(stdout)?.[1] ?? stdout
}

/** Runs the command of an error as a shell does: `echo '…' > FILE && TOOL ARGUMENTS`. */
async function run(command: string): Promise<void> {
  await using folder = temporaryFolder('command')
  const [, document, file, rest = command] = /^echo '([^']*)' > (\S+) && (.*)$/.exec(command) ?? []
  if (document !== undefined && file !== undefined) await writeFile(join(folder.path, file), document)
  const [tool = '', ...args] = rest.split(' ')
  const { code, stdout, stderr } = await runKafkaTool(TOOLS[tool] ?? tool, args, { cwd: folder.path })
  assert.equal(code, 0, stdout + stderr)
}

test('a policy, a number of partitions and too few replicas are refused, each with the command that corrects it', async () => {
  await using kafka = await startKafka({ brokers: 3 })
  await using admin = (await kafkaClient(kafka.bootstrapServers)).admin()
  const create = (kind: string, partitions: number, policy: string): Promise<boolean> =>
    admin.createTopic({ name: `w_${kind}`, partitions, replicationFactor: 1, configs: { 'cleanup.policy': policy } })
  await create('configs', 2, 'compact')
  await create('offsets', 3, 'delete')
  await create('statuses', 1, 'compact')

  const seen = new Set<string>()
  // One problem is reported at a time, whichever check is the first.
  for (let i = 0; i < 4; i++) {
    const text = await refusal(kafka, 'w')
    const command = /(?:run|add replicas): (.*)$/.exec(text)?.[1]
    assert.ok(command !== undefined, text)
    seen.add(
      /'[^']+_(\w+)'.*(single partition|cleanup\.policy|replicas instead)/.exec(text)?.slice(1, 3).join(' ') ?? text,
    )
    await run(command)
  }
  assert.deepEqual([...seen].toSorted(), [
    'configs single partition',
    'offsets cleanup.policy',
    'offsets replicas instead',
    'statuses replicas instead',
  ])
  await using service = await startService({ bootstrapServers: kafka.bootstrapServers, name: 'w', env: WITH_THREE })
  assert.equal((await service.rest('GET', '/connectors')).status, 200)
})
