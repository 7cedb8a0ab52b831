import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMariaDb } from '../database/start-database.ts'
import { runProgram } from '../process/run-program.ts'
import type { ProgramResult } from '../process/run-program.ts'
import { SharedServers } from './shared-servers.ts'
import { brokerEnvironment } from './use-servers.ts'

test('without a runner the process starts its own server, which ends with the process', async () => {
  const { code, stdout, stderr } = await runScript(
    `const server = await useMariaDb()
     await server.query('SELECT 1', 'debezium')
     console.log((await useMariaDb()) === server, server.pid)`,
    {},
  )
  assert.equal(code, 0, stderr)
  const [isSame, pid] = stdout.trim().split(' ')
  assert.equal(isSame, 'true')
  assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' })
})

test("with a runner's address the process uses that server and leaves it running", async () => {
  await using server = await startMariaDb()
  const { port, version, dataFolder } = server
  await using shared = await SharedServers.listen({ mariadb: async () => ({ port, version, dataFolder }) })
  const { code, stdout, stderr } = await runScript(
    `const server = await useMariaDb()
     await server.query('CREATE DATABASE left_by_child')
     const { stdout } = await server.cli(['-N', '-e', 'SELECT @@port'])
     console.log(JSON.stringify([server.flavor, server.host, server.port, server.version, server.dataFolder, stdout]))`,
    shared.environment,
  )
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), ['mariadb', '127.0.0.1', port, version, dataFolder, `${port}\n`])
  assert.equal((await server.query("SHOW DATABASES LIKE 'left_by_child'")).length, 1)
})

test('useKafka() is the development broker, or Apache Kafka where the environment asks for it', async () => {
  const { bootstrapServers: devBroker } = await startedServer('dev-broker')
  const { bootstrapServers: kafka } = await startedServer('kafka')
  assert.deepEqual([devBroker, kafka], [['dev:1'], ['kafka:1']])
})

/** What `useKafka()` and `useRealKafka()` return in a process of a runner with two brokers. */
async function startedServer(broker: 'dev-broker' | 'kafka'): Promise<{ readonly bootstrapServers: unknown }> {
  await using shared = await SharedServers.listen({
    devBroker: async () => ({ bootstrapServers: ['dev:1'] }),
    kafka: async () => ({ bootstrapServers: ['kafka:1'] }),
  })
  const body = `console.log(JSON.stringify([await useKafka(), await useRealKafka()]))`
  const { code, stdout, stderr } = await runScript(body, { ...shared.environment, ...brokerEnvironment(broker) })
  assert.equal(code, 0, stderr)
  const [used, real] = JSON.parse(stdout) as readonly [{ readonly bootstrapServers: unknown }, unknown]
  assert.deepEqual(real, { bootstrapServers: ['kafka:1'] })
  return used
}

function runScript(body: string, env: Record<string, string>): Promise<ProgramResult> {
  const module = new URL('use-servers.ts', import.meta.url).href
  const script = `import { useKafka, useMariaDb, useRealKafka } from '${module}'\n${body}`
  // Removes what this test's own runner has set.
  const none = { TRIBUTARY_TEST_SERVERS: '', TRIBUTARY_TEST_BROKER: '' }
  return runProgram(process.execPath, ['--input-type=module', '-e', script], { env: { ...none, ...env } })
}
