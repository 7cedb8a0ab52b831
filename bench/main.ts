/**
 * Benchmarks on real servers, which they start themselves. They measure the packed release beside Kafka Connect with
 * Debezium, on the same data and the same broker. Figures depend on the machine and its load: compare only figures of
 * one run.
 *
 *     npm run bench                                   all rows of the comparison, the repeatable ones three times
 *     npm run bench -- --quick                        the main rows once, in five minutes
 *     npm run bench -- w1 s1 --json figures.json      some rows; prints the table and writes all runs as JSON
 *     npm run bench -- --systems tributary            Tributary alone
 *     npm run bench -- --artefact tributary.tgz       an existing release (tarball, folder or checkout), or `workspace`
 *     npm run bench -- w1 --against ../old            another build in turn with this one, as the system `before`
 *     npm run bench -- w1 --systems tributary --profile 20   also prints the functions with the most self time
 */
import { writeFileSync } from 'node:fs'
import { commitOf, openArtefact, packWorkspace, type Artefact } from './systems/artefact.ts'
import type { Bench, BenchOptions, Figure } from './run/bench.ts'
import { parseCommand, WORKSPACE, type BenchCommand } from './run/options.ts'
import { figureTable } from './report/figure-table.ts'
import { loadBefore, reportDocument } from './report/report-document.ts'
import { runRow } from './run/run-row.ts'
import { devBroker } from './rows/dev-broker.ts'
import { floors } from './rows/floors.ts'
import { growth } from './rows/growth.ts'
import { heap } from './rows/heap.ts'
import { history } from './rows/history.ts'
import { kill } from './rows/kill.ts'
import { latency } from './rows/latency.ts'
import { manySmallTables } from './rows/many-tables.ts'
import { memory } from './rows/memory.ts'
import { rest } from './rows/rest.ts'
import { narrowSnapshot, wideSnapshot } from './rows/snapshot.ts'
import { soak } from './rows/soak.ts'
import { startup } from './rows/startup.ts'
import { transformations } from './rows/transformations.ts'
import { workloads } from './rows/workloads.ts'

const benches: readonly Bench[] = [
  ...workloads,
  narrowSnapshot,
  wideSnapshot,
  manySmallTables,
  ...transformations,
  latency,
  startup,
  kill,
  floors,
  ...growth,
  soak,
  heap,
  history,
  memory,
  rest,
  devBroker,
]

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const command = readCommand(args)
  if (command === null) return 2
  const chosen = chooseBenches(command)
  const load = loadBefore()
  const commit = await commitOf('.')
  await using stack = new AsyncDisposableStack()
  const { artefact, against } = command
  const current = stack.use(await currentBuild(command))
  const before = stack.use(against === null ? null : await openArtefact(against, '--against'))
  const entryBefore = before?.entry ?? null
  const options: BenchOptions = { ...command.options, entry: current?.entry ?? null, entryBefore }
  const figures: Figure[] = []
  const failures: string[] = []
  for (const bench of chosen) {
    try {
      const own = await runRow(bench, options)
      figures.push(...own)
      options.note(figureTable(own))
    } catch (error) {
      // The figures of the other rows remain valid.
      failures.push(bench.name)
      console.error(`${bench.name} failed:`, error)
    }
    // Written after every row: a run that is interrupted keeps the figures so far.
    const context = { options, artefact, before: before?.description ?? null, commit, load, failures }
    const document = reportDocument(figures, context)
    if (command.json !== null) writeFileSync(command.json, `${JSON.stringify(document, null, 2)}\n`)
  }
  console.log(figureTable(figures))
  if (failures.length > 0) console.log(`These rows failed and have no figures: ${failures.join(', ')}.`)
  return failures.length === 0 ? 0 : 1
}

/** Null for this workspace, run from its sources. */
async function currentBuild({ artefact, options }: BenchCommand): Promise<Artefact | null> {
  if (artefact === WORKSPACE) return null
  if (artefact !== null) return openArtefact(artefact, '--artefact')
  options.note('packing the release …')
  return packWorkspace()
}

function chooseBenches({ names, options }: BenchCommand): readonly Bench[] {
  if (names.length > 0) return benches.filter((bench) => names.some((name) => isNamed(bench, name)))
  return benches.filter(({ isRun }) => isRun === 'quick' || (isRun === 'always' && !options.isQuick))
}

function isNamed({ name, aliases = [] }: Bench, text: string): boolean {
  return name === text || aliases.includes(text)
}

/** Null when the arguments are invalid; the reason and the usage text are then on standard error. */
function readCommand(args: readonly string[]): BenchCommand | null {
  try {
    const command = parseCommand(args)
    const unknown = command.names.find((name) => benches.every((bench) => !isNamed(bench, name)))
    if (unknown === undefined) return command
    console.error(`There is no benchmark ${unknown}.`)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    console.error(error.message)
  }
  const rows = benches.map(({ name, aliases = [], summary, isRun }) => {
    const names = [name, ...aliases].join(', ')
    return `  ${names.padEnd(12)} ${summary}${isRun === undefined ? ' (only when named)' : ''}`
  })
  console.error(
    `usage: npm run bench -- [NAME…] [--quick] [--runs N] [--systems A,B] [--artefact BUILD|workspace]\n` +
      `       [--against BUILD] [--json FILE] [--mariadb] [--profile ENTRIES] [--minutes N]\n` +
      `BUILD: a checkout of Tributary, or a packed release as a folder or tarball\n${rows.join('\n')}`,
  )
  return null
}
