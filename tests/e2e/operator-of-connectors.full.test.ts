/**
 * What Strimzi's operator (KafkaConnector resources) and the Terraform provider for Kafka Connect send, to a group of
 * three workers. As behind a Service of Kubernetes, each request reaches another worker than the one before.
 *
 * The sequences and the accepted status codes are those of their sources (Strimzi 0.40: KafkaConnectApiImpl; the
 * provider: go-kafka-connect): they give up at any other code.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import {
  connectorConfig,
  eventually,
  startService,
  uniqueName,
  useKafka,
  useMySql,
  type RestAnswer,
  type Service,
} from '@tributary/testkit'

/** Sends requests to the workers in turn. */
class Turns {
  readonly #workers: readonly Service[]
  #next = 0

  constructor(workers: readonly Service[]) {
    this.#workers = workers
  }

  async send(expected: readonly number[], method: string, path: string, body?: unknown): Promise<RestAnswer> {
    const worker = this.#workers[this.#next++ % this.#workers.length]
    if (worker === undefined) throw new Error('there is no worker')
    const answer = await worker.rest(method, path, body)
    assert.ok(expected.includes(answer.status), `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }

  /** Reads from each worker until its answer is the expected one: a worker follows the changes of others. */
  async read(status: number, path: string, isExpected: (json: unknown) => boolean = () => true): Promise<void> {
    for (const worker of this.#workers) {
      await eventually(`GET ${path} is as expected`, async () => {
        const answer = await worker.rest('GET', path)
        assert.equal(answer.status, status, answer.text)
        return isExpected(answer.json)
      })
    }
  }
}

async function startGroup(stack: AsyncDisposableStack, bootstrapServers: readonly string[]): Promise<Turns> {
  const name = uniqueName('operated')
  const workers: Service[] = []
  for (let i = 0; i < 3; i++) workers.push(stack.use(await startService({ bootstrapServers, name })))
  return new Turns(workers)
}

test("three workers accept the requests of Strimzi's operator, each at another worker", async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  await using stack = new AsyncDisposableStack()
  const turns = await startGroup(stack, bootstrapServers)
  const name = uniqueName('strimzi')
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY)`)
  const config = connectorConfig({ database, bootstrapServers, prefix: name, includes: name })
  const path = `/connectors/${name}`

  // A reconciliation of the cluster: its plug-ins and loggers, and connectors without a resource.
  await turns.send([200], 'GET', '/connector-plugins')
  await turns.send([200], 'GET', '/admin/loggers')
  await turns.read(200, '/connectors', isJson([]))

  // A new resource: its configuration is not there yet. Strimzi waits for a status, and gives up after ten attempts.
  await turns.send([404], 'GET', `${path}/config`)
  await turns.send([201], 'PUT', `${path}/config`, config)
  await turns.read(200, `${path}/status`)
  await turns.read(200, path)

  // Each later reconciliation compares the configuration, and changes it where it differs.
  for (const size of ['1000', '1001', '1002']) {
    const changed = { ...config, 'max.batch.size': size }
    await turns.send([200], 'GET', `${path}/config`)
    await turns.send([200], 'PUT', `${path}/config`, changed)
    await turns.read(200, `${path}/config`, isJson({ ...changed, name }))
    await turns.read(200, `${path}/status`)
    await turns.send([200], 'GET', `${path}/topics`)
  }

  // The annotations for restarts, and `state` of the resource.
  const isRunning = (json: unknown): boolean => (json as { tasks: { state: string }[] }).tasks[0]?.state === 'RUNNING'
  await turns.read(200, `${path}/status`, isRunning)
  await turns.send([202, 204], 'POST', `${path}/restart?includeTasks=false&onlyFailed=false`)
  await turns.send([202, 204], 'POST', `${path}/restart?includeTasks=true&onlyFailed=true`)
  await turns.send([204], 'POST', `${path}/tasks/0/restart`)
  await turns.send([202], 'PUT', `${path}/pause`)
  await turns.send([202], 'PUT', `${path}/resume`)
  await turns.send([204], 'PUT', `${path}/stop`)
  await turns.send([200], 'GET', `${path}/offsets`)
  await turns.send([202], 'PUT', `${path}/resume`)

  // The resource is deleted: Strimzi waits until there is no status.
  await turns.send([204], 'DELETE', path)
  await turns.read(404, `${path}/status`)
  await turns.read(200, '/connectors', isJson([]))
})

test('three workers accept the requests of the Terraform provider, each at another worker', async () => {
  const [database, { bootstrapServers }] = await Promise.all([useMySql(), useKafka()])
  await using stack = new AsyncDisposableStack()
  const turns = await startGroup(stack, bootstrapServers)
  const name = uniqueName('terraform')
  await database.query(`CREATE DATABASE ${name}; CREATE TABLE ${name}.t (id INT PRIMARY KEY)`)
  const config = { ...connectorConfig({ database, bootstrapServers, prefix: name, includes: name }), name }
  const path = `/connectors/${name}`
  const hasConfig =
    (expected: unknown) =>
    (json: unknown): boolean =>
      isDeepStrictEqual((json as { config: unknown }).config, expected)

  // apply: create, and read what is there. A second plan reads it again and finds no difference.
  await turns.send([201], 'POST', '/connectors', { name, config })
  await turns.read(200, path, hasConfig(config))
  // A changed resource is updated and read again.
  const changed = { ...config, 'max.batch.size': '1000' }
  await turns.send([200], 'PUT', `${path}/config`, changed)
  await turns.read(200, path, hasConfig(changed))
  // A second resource of the same name fails, and changes nothing.
  await turns.send([409], 'POST', '/connectors', { name, config })
  await turns.read(200, path, hasConfig(changed))
  // destroy
  await turns.send([204], 'DELETE', path)
  await turns.read(404, path)
})

function isJson(expected: unknown): (json: unknown) => boolean {
  return (json) => isDeepStrictEqual(json, expected)
}
