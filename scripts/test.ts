/**
 * Runs the tests of a tier with Node's test runner. A shared server starts when a test first asks for it.
 *
 *     npm test                          the fast tier, most of it on the development broker
 *     npm run test:full                 the fast tier and longer tests (*.full.test.ts), on Apache Kafka
 *     npm run test:soak                 tests that run for hours (*.soak.test.ts)
 *     npm run interop                   with Kafka Connect and Debezium themselves (*.interop.test.ts)
 *     npm test -- kafka ddl/lexer       only files whose path contains one of the words
 *     npm test -- --kafka               on Apache Kafka; --dev-broker: on the development broker
 *     npm test -- --times               prints at the end how long each file took, the slowest first
 *     npm run test:full -- --hours 3 …  the limit of each file, for measurements that repeat something many times
 *
 * The exit code is the runner's. All tests run with poison (packages/support/src/poison.ts).
 */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  brokerEnvironment,
  type SharedProgram,
  SharedServers,
  temporaryFolder,
  tierEnvironment,
} from '@tributary/testkit'
import { buildCodecs } from './test/build-codecs.ts'
import { slowestFirst } from './test/file-times.ts'
import { groupFiles } from './test/group-files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const SUITES = ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'tests/**/*.test.ts']
const SOAK = /\.soak\.test\.ts$/
const FULL = /\.full\.test\.ts$/
const INTEROP = /\.interop\.test\.ts$/
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
  /** What `useKafka()` returns (docs/adr/0087-the-brokers-of-the-test-tiers.md). */
  readonly broker: Broker
}

type Broker = 'dev-broker' | 'kafka'

const TIERS: Readonly<Record<string, Tier>> = {
  fast: { contains: (file) => !SPECIAL.test(file) && !FULL.test(file), fileLimitMs: 5 * 60_000, broker: 'dev-broker' },
  full: { contains: (file) => !SPECIAL.test(file), fileLimitMs: 30 * 60_000, broker: 'kafka' },
  soak: { contains: (file) => SOAK.test(file), fileLimitMs: 4 * 60 * 60_000, broker: 'kafka' },
  // Each file starts a worker of Kafka Connect: half a gigabyte, and one core while it starts.
  interop: { contains: (file) => INTEROP.test(file), fileLimitMs: 60 * 60_000, filesAtOnce: 1, broker: 'kafka' },
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kafka: { type: 'boolean' },
    'dev-broker': { type: 'boolean' },
    times: { type: 'boolean' },
    hours: { type: 'string' },
  },
})
const [tierName = 'fast', ...words] = positionals
const tier = TIERS[tierName]
if (tier === undefined) {
  console.error(`usage: test.ts ${Object.keys(TIERS).join('|')} [part of a path…], not ${tierName}`)
  process.exit(2)
}
const hours = values.hours === undefined ? null : Number(values.hours)
if (hours !== null && !(hours > 0)) {
  console.error(`--hours ${values.hours} is not a number above 0`)
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
process.exitCode = await run(files, hours === null ? tier : { ...tier, fileLimitMs: hours * 3_600_000 })

async function run(
  selected: readonly string[],
  { fileLimitMs, filesAtOnce = availableParallelism() + 2, broker }: Tier,
): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const compiled = stack.use(temporaryFolder('compiled')).path
  const timesFile = values.times ? join(stack.use(temporaryFolder('times')).path, 'times') : null
  const built = stack.use(temporaryFolder('built')).path
  const program = async (): Promise<SharedProgram> => ({ entry: await builtProgram(built) })
  const servers = stack.use(await SharedServers.listen({ program }))
  // A process exits after its tests, whatever is still open in it: Node 24 was seen to loop forever in its own clean-up
  // (Environment::CleanupHandles waits for a request that never ends), which no signal with a handler interrupts.
  const args = [
    '--test',
    '--test-force-exit',
    `--import=${new URL('./test/whole-reports.ts', import.meta.url).href}`,
    `--import=${new URL('./test/await-compilers.ts', import.meta.url).href}`,
    `--import=${new URL('./test/require-poison.ts', import.meta.url).href}`,
    `--import=${new URL('./test/use-codecs.ts', import.meta.url).href}`,
    ...reporters(timesFile),
    `--test-concurrency=${filesAtOnce}`,
    `--test-timeout=${fileLimitMs}`,
    // A few files, or their times, are wanted as they are.
    ...(words.length === 0 && !values.times ? groupFiles(root, built, selected) : selected),
  ]
  const code = await runNode(args, {
    ...servers.environment,
    ...brokerEnvironment(chosenBroker() ?? broker),
    ...tierEnvironment(tierName),
    TRIBUTARY_TEST_CODECS: await buildCodecs(root, built),
    // Memory of a poll is overwritten when the poll is over (packages/support/src/poison.ts), also in the threads and
    // programs that the tests start.
    TRIBUTARY_POISON: '1',
    // Each file is a process, and many start services and commands: they share what Node has compiled. The folder is of
    // this run, because copies of the tree, whose paths are never the same, would make a permanent one grow.
    NODE_COMPILE_CACHE: compiled,
  })
  if (timesFile !== null) console.log(slowestFirst(timesFile))
  return code
}

/** Loaded when a test first starts the program. */
async function builtProgram(folder: string): Promise<string> {
  const { buildProgram } = await import('./test/build-program.ts')
  return buildProgram(root, folder)
}

function chosenBroker(): Broker | undefined {
  if (values.kafka) return 'kafka'
  return values['dev-broker'] ? 'dev-broker' : undefined
}

/** The runner's own report and, if `timesFile` is not null, the time of each file. */
function reporters(timesFile: string | null): readonly string[] {
  if (timesFile === null) return []
  const times = new URL('./test/file-times.ts', import.meta.url).href
  const pairs = [
    ['spec', 'stdout'],
    [times, timesFile],
  ]
  return pairs.flatMap(([name, target]) => [`--test-reporter=${name}`, `--test-reporter-destination=${target}`])
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
