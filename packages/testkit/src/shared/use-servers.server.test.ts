import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startMariaDb } from '../database/start-database.ts'
import { runProgram } from '../process/run-program.ts'
import type { ProgramResult } from '../process/run-program.ts'

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
  const { code, stdout, stderr } = await runScript(
    `const server = await useMariaDb()
     await server.query('CREATE DATABASE left_by_child')
     const { stdout } = await server.cli(['-N', '-e', 'SELECT @@port'])
     console.log(JSON.stringify([server.flavor, server.host, server.port, server.version, server.dataFolder, stdout]))`,
    { TRIBUTARY_TEST_MARIADB: JSON.stringify({ port, version, dataFolder }) },
  )
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), ['mariadb', '127.0.0.1', port, version, dataFolder, `${port}\n`])
  assert.equal((await server.query("SHOW DATABASES LIKE 'left_by_child'")).length, 1)
})

function runScript(body: string, env: Record<string, string>): Promise<ProgramResult> {
  const module = new URL('use-servers.ts', import.meta.url).href
  const script = `import { useMariaDb } from '${module}'\n${body}`
  // Removes the addresses of this test's own runner.
  const none = { TRIBUTARY_TEST_KAFKA: '', TRIBUTARY_TEST_MYSQL: '', TRIBUTARY_TEST_MARIADB: '' }
  return runProgram(process.execPath, ['--input-type=module', '-e', script], { env: { ...none, ...env } })
}
