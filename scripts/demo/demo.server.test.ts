import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Database, fullTest, type ProgramResult, runProgram, useKafka, useMySql } from '@tributary/testkit'

const mainFile = fileURLToPath(new URL('main.ts', import.meta.url))

function runDemo(...args: string[]): Promise<ProgramResult> {
  return runProgram(process.execPath, [mainFile, ...args], { env: { NO_COLOR: '1' } })
}

test("on the user's own MySQL and the development broker every check passes, and its database is removed", async () => {
  const server = await useMySql()

  const { code, stdout, stderr } = await runDemo('--mysql', urlOf(server, 'mysqluser:mysqlpw'))

  assert.deepEqual([code, stderr], [0, ''], stdout)
  assert.match(stdout, /^ +MySQL \S+ at \S+, the development broker at 127\.0\.0\.1:\d+$/m)
  assert.match(stdout, /^ +dbserver1\.inventory_demo_\w+\.customers$/m)
  assert.match(stdout, /ERROR 1451 \(23000\)/)
  assert.match(stdout, /^All 11 checks passed \([\d.]+ s\)\.$/m)
  assert.doesNotMatch(stdout, /mysqlpw/)
  assert.match(stdout, /Removed the database inventory_demo_/)
})

test('a wrong password is reported with the message of the server and exit code 1', async () => {
  const server = await useMySql()
  const broker = (await useKafka()).bootstrapServers[0] ?? ''
  const { code, stdout } = await runDemo('--mysql', urlOf(server, 'mysqluser:wrong'), '--kafka', broker)
  assert.equal(code, 1)
  assert.match(stdout, /^The demo FAILED: .*Access denied for user 'mysqluser'/m)
})

fullTest(
  "for a user without the connector's privileges, the demo reports the missing grants and removes what it created",
  async () => {
    const server = await useMySql()
    const broker = (await useKafka()).bootstrapServers[0] ?? ''
    await server.query("CREATE USER IF NOT EXISTS 'demo_only'@'%' IDENTIFIED BY 'pw'")
    await server.query("GRANT ALL ON `inventory\\_demo\\_%`.* TO 'demo_only'@'%'")
    const { code, stdout } = await runDemo('--mysql', urlOf(server, 'demo_only:pw'), '--kafka', broker)
    assert.equal(code, 1)
    assert.match(stdout, /^The demo FAILED: [^]*GRANT REPLICATION SLAVE ON \*\.\* TO `demo_only`@`%`;/m)
    assert.match(stdout, /Removed the database inventory_demo_/)
    assert.match(stdout, /Removed \d+ topics tributary_demo_/)
  },
)

test('an invalid command line exits with 2 before anything is started', async () => {
  const { code, stdout, stderr } = await runDemo('--fast')
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /^demo: Unknown option '--fast'/)
})

function urlOf({ host, port }: Database, account: string): string {
  return `mysql://${account}@${host}:${port}`
}
