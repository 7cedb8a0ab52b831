/**
 * Runs the tests of a tier with Node's own runner, and starts the shared servers for them when a selected file needs servers.
 *
 *     npm test                          the fast tier: under 15 minutes on two cores
 *     npm run test:full                 the fast tier and what takes longer (*.full.test.ts)
 *     npm run test:soak                 what runs for long on purpose (*.soak.test.ts)
 *     npm run interop                   with Kafka Connect and Debezium themselves (*.interop.test.ts)
 *     npm test -- kafka ddl/lexer       only files whose path contains one of the words
 *
 * The exit code is the runner's.
 */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { sharedEnvironment, startKafka, startMariaDb, startMySql } from '@tributary/testkit'

const root = fileURLToPath(new URL('..', import.meta.url))
const SUITES = ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'tests/**/*.test.ts']
const SOAK = /\.soak\.test\.ts$/
const FULL = /\.full\.test\.ts$/
const INTEROP = /\.interop\.test\.ts$/
const NEEDS_SERVERS = /\.(server|full|soak|interop)\.test\.ts$/
/** What is run only when it is asked for. */
const SPECIAL = /\.(soak|interop)\.test\.ts$/

interface Tier {
  /** Whether the tier holds the file. */
  readonly holds: (file: string) => boolean
  /** A file that takes longer hangs: it is ended and counts as failed. */
  readonly fileLimitMs: number
  /**
   * Default: one more than there are cores. Suites with servers wait more than they compute, so that many keep the cores busy.
   */
  readonly filesAtOnce?: number
}

const TIERS: Readonly<Record<string, Tier>> = {
  fast: { holds: (file) => !SPECIAL.test(file) && !FULL.test(file), fileLimitMs: 5 * 60_000 },
  full: { holds: (file) => !SPECIAL.test(file), fileLimitMs: 30 * 60_000 },
  soak: { holds: (file) => SOAK.test(file), fileLimitMs: 4 * 60 * 60_000 },
  // A worker of Kafka Connect beside all others: half a gigabyte, and a core while it starts.
  interop: { holds: (file) => INTEROP.test(file), fileLimitMs: 60 * 60_000, filesAtOnce: 1 },
}

const [tierName = 'fast', ...words] = process.argv.slice(2)
const tier = TIERS[tierName]
if (tier === undefined) {
  console.error(`usage: test.ts ${Object.keys(TIERS).join('|')} [part of a path…], not ${tierName}`)
  process.exit(2)
}
const inTier = globSync(SUITES, { cwd: root }).filter(tier.holds)
const files = inTier.filter((file) => words.length === 0 || words.some((word) => file.includes(word))).toSorted()
if (files.length === 0) {
  console.error(
    `No test file of the tier ${tierName} (${inTier.length} files) contains ${words.join(' or ')} in its path.`,
  )
  process.exit(2)
}
process.exitCode = await run(files, tier)

async function run(
  selected: readonly string[],
  { fileLimitMs, filesAtOnce = availableParallelism() + 1 }: Tier,
): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const environment = selected.some((file) => NEEDS_SERVERS.test(file)) ? await startShared(stack) : {}
  // A process whose tests are over ends, whatever is still open in it: Node 24 was seen to spin for ever in its own clean-up
  // (Environment::CleanupHandles waits for a request that never ends), which no signal with a handler stops.
  const args = [
    '--test',
    '--test-force-exit',
    `--import=${new URL('./test/whole-reports.ts', import.meta.url).href}`,
    `--import=${new URL('./test/sure-ends.ts', import.meta.url).href}`,
    `--test-concurrency=${filesAtOnce}`,
    `--test-timeout=${fileLimitMs}`,
    ...selected,
  ]
  return await runNode(args, environment)
}

async function startShared(stack: AsyncDisposableStack): Promise<Record<string, string>> {
  const [kafka, mysql, mariadb] = await Promise.all([
    startKafka().then((server) => stack.use(server)),
    startMySql().then((server) => stack.use(server)),
    startMariaDb().then((server) => stack.use(server)),
  ])
  return sharedEnvironment({ kafka, mysql, mariadb })
}

/** The runner as a child; what asks this process to end asks the child first, so that the shared servers are ended too. */
function runNode(args: readonly string[], environment: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment } })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
