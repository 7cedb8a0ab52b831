/**
 * Runs the tests of a tier with Node's test runner. Starts the shared servers when a selected file needs servers.
 *
 *     npm test                          the fast tier: under 15 minutes on two cores
 *     npm run test:full                 the fast tier and longer tests (*.full.test.ts)
 *     npm run test:soak                 tests that run for hours (*.soak.test.ts)
 *     npm run interop                   with Kafka Connect and Debezium themselves (*.interop.test.ts)
 *     npm test -- kafka ddl/lexer       only files whose path contains one of the words
 *
 * The exit code is the runner's. All tests run with poison (packages/support/src/poison.ts).
 */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { sharedEnvironment, startKafka, startMariaDb, startMySql, temporaryFolder } from '@tributary/testkit'

const root = fileURLToPath(new URL('..', import.meta.url))
const SUITES = ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'tests/**/*.test.ts']
const SOAK = /\.soak\.test\.ts$/
const FULL = /\.full\.test\.ts$/
const INTEROP = /\.interop\.test\.ts$/
const NEEDS_SERVERS = /\.(server|full|soak|interop)\.test\.ts$/
/** Tests that have tiers of their own. */
const SPECIAL = /\.(soak|interop)\.test\.ts$/

interface Tier {
  /** True when the tier contains the file. */
  readonly contains: (file: string) => boolean
  /** A file that takes longer is stopped and counts as failed. */
  readonly fileLimitMs: number
  /**
   * Default: the number of cores plus two. Suites with servers wait more than they compute, so that more files keep the
   * cores busy.
   */
  readonly filesAtOnce?: number
}

const TIERS: Readonly<Record<string, Tier>> = {
  fast: { contains: (file) => !SPECIAL.test(file) && !FULL.test(file), fileLimitMs: 5 * 60_000 },
  full: { contains: (file) => !SPECIAL.test(file), fileLimitMs: 30 * 60_000 },
  soak: { contains: (file) => SOAK.test(file), fileLimitMs: 4 * 60 * 60_000 },
  // Each file starts a worker of Kafka Connect: half a gigabyte, and one core while it starts.
  interop: { contains: (file) => INTEROP.test(file), fileLimitMs: 60 * 60_000, filesAtOnce: 1 },
}

const [tierName = 'fast', ...words] = process.argv.slice(2)
const tier = TIERS[tierName]
if (tier === undefined) {
  console.error(`usage: test.ts ${Object.keys(TIERS).join('|')} [part of a path…], not ${tierName}`)
  process.exit(2)
}
const inTier = globSync(SUITES, { cwd: root }).filter(tier.contains)
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
  { fileLimitMs, filesAtOnce = availableParallelism() + 2 }: Tier,
): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const compiled = stack.use(temporaryFolder('compiled')).path
  const servers = selected.some((file) => NEEDS_SERVERS.test(file)) ? await startShared(stack) : {}
  // A process exits after its tests, whatever is still open in it: Node 24 was seen to loop forever in its own clean-up
  // (Environment::CleanupHandles waits for a request that never ends), which no signal with a handler interrupts.
  const args = [
    '--test',
    '--test-force-exit',
    `--import=${new URL('./test/whole-reports.ts', import.meta.url).href}`,
    `--import=${new URL('./test/await-compilers.ts', import.meta.url).href}`,
    `--import=${new URL('./test/require-poison.ts', import.meta.url).href}`,
    `--test-concurrency=${filesAtOnce}`,
    `--test-timeout=${fileLimitMs}`,
    ...selected,
  ]
  return await runNode(args, {
    ...servers,
    // Memory of a poll is overwritten when the poll is over (packages/support/src/poison.ts), also in the threads and
    // programs that the tests start.
    TRIBUTARY_POISON: '1',
    // Each file is a process, and many start services and commands: they share what Node has compiled. The folder is of
    // this run, because copies of the tree, whose paths are never the same, would make a permanent one grow.
    NODE_COMPILE_CACHE: compiled,
  })
}

async function startShared(stack: AsyncDisposableStack): Promise<Record<string, string>> {
  const [kafka, mysql, mariadb] = await Promise.all([
    startKafka().then((server) => stack.use(server)),
    startMySql().then((server) => stack.use(server)),
    startMariaDb().then((server) => stack.use(server)),
  ])
  return sharedEnvironment({ kafka, mysql, mariadb })
}

/**
 * Runs the runner as a child. Forwards signals to it and waits for its exit, so that the shared servers are stopped
 * afterwards.
 */
function runNode(args: readonly string[], environment: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment } })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
