/** The exit codes of every command, as the help documents them, and the errors of an invalid command line. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePort, temporaryFolder } from '@tributary/testkit'
import { runCli } from '../testing/cli-process.ts'

const folder = temporaryFolder('exit-codes')
after(() => folder[Symbol.asyncDispose]())

type Environment = Readonly<Record<string, string>>

const missing = join(folder.path, 'missing')
const document = join(folder.path, 'connector.json')
writeFileSync(document, '{"name":"shop","config":{"connector.class":"MySql"}}')
const TOPICS: Environment = { CONFIG_STORAGE_TOPIC: 'c', OFFSET_STORAGE_TOPIC: 'o' }

const invalid: readonly (readonly [args: readonly string[], error: RegExp, environment?: Environment])[] = [
  [[], /^Usage: tributary /],
  [['strat'], /unknown command 'strat'/],
  [['--foo'], /unknown option '--foo'/],
  [['help', 'strat'], /unknown command 'strat'/],
  [['help', 'connectors', 'watch'], /unknown command 'connectors watch'/],
  [['connectors'], /^Usage: tributary connectors /],
  [['connectors', 'watch'], /unknown command 'watch'/],
  [['connectors', 'list', '--foo'], /unknown option '--foo'/],
  [['connectors', 'list', 'shop'], /too many arguments/],
  [['connectors', 'restart', '--task', 'x', 'shop'], /It must be the number of a task: 0, 1, …/],
  [['connectors', 'create', missing], /There is no file .*missing\. Check the path/],
  [['start', missing], /The properties file .*missing cannot be read/, TOPICS],
  [['start', folder.path], /cannot be read: EISDIR/, TOPICS],
  [['start', 'a', 'b'], /too many arguments/],
  [['start'], /No Kafka broker is configured/],
  [['start'], /Missing: config\.storage\.topic/, { BOOTSTRAP_SERVERS: '127.0.0.1:1' }],
  [['start'], /Not a number of type INT/, { ...TOPICS, BOOTSTRAP_SERVERS: '127.0.0.1:1', REST_PORT: 'x' }],
  [['start'], /it is not an address of the form host:port/, { ...TOPICS, BOOTSTRAP_SERVERS: 'nowhere' }],
  [['check'], /missing required argument 'file'/],
  [['check', missing], /There is no file .*missing\. Check the path/],
  [['check', folder.path], /is not a valid connector document: it cannot be read/],
  [['watch'], /missing required argument 'topic'/],
  [['watch', 'topic'], /^tributary watch: No Kafka broker is named\. Set BOOTSTRAP_SERVERS=host:port/],
  [['watch', '--bootstrap-server', 'nowhere', 'topic'], /it is not an address of the form host:port/],
  [['watch', '--max-messages', '0', 'topic'], /It must be a whole number above 0\./],
  [
    ['watch', '--bootstrap-server', '127.0.0.1:1', '--schema-registry', 'nowhere', 'topic'],
    /schema\.registry\.url=.* is invalid/,
  ],
]

test('2: the command line, a file that it names, or a setting is invalid', async () => {
  for (const [args, error, environment = {}] of invalid) {
    const { code, stdout, stderr } = await runCli(args, environment)
    assert.equal(code, 2, `${args.join(' ')}: ${stdout}${stderr}`)
    assert.match(stdout + stderr, error)
  }
})

test('3: no service answers', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const commands = ['list', 'get', 'status', 'pause', 'resume', 'stop', 'restart', 'delete', 'create']
  const results = await Promise.all(
    commands.map((command) => {
      const operand = command === 'list' ? [] : [command === 'create' ? document : 'shop']
      return runCli(['connectors', command, ...operand, '--url', url])
    }),
  )
  for (const [index, { code, stderr }] of results.entries()) {
    assert.equal(code, 3, `${commands[index]}: ${stderr}`)
    assert.ok(stderr.includes(`No service answers at ${url}: `), stderr)
  }
})

test('1: the worker cannot start, or the topic could not be read in time', async () => {
  await using taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const REST: Environment = { REST_HOST_NAME: '127.0.0.1', REST_PORT: String(port) }
  const start = await runCli(['start'], { ...TOPICS, ...REST, BOOTSTRAP_SERVERS: '127.0.0.1:1' })
  assert.equal(start.code, 1, start.stdout)
  assert.match(start.stdout, /cannot listen on 127\.0\.0\.1:\d+/)
  const watch = await runCli(['watch', '--bootstrap-server', '127.0.0.1:1', '--timeout-ms', '300', 'topic'])
  assert.equal(watch.code, 1)
  assert.match(watch.stderr, /Topic topic could not be read within 300 ms\./)
})

test('0: help and version', async () => {
  const table: readonly (readonly [args: readonly string[], stdout: RegExp])[] = [
    [['--version'], /^\d+\.\d+\.\d+\n$/],
    [['--help'], /^Usage: tributary \[options\]/],
    [['help'], /^Usage: tributary \[options\]/],
    [['help', 'start'], /^Usage: tributary start /],
    [['help', 'connectors', 'create'], /^Usage: tributary connectors create /],
    [['connectors', 'create', '--help'], /^Usage: tributary connectors create /],
  ]
  for (const [args, expected] of table) {
    const { code, stdout, stderr } = await runCli(args)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, expected)
  }
})
