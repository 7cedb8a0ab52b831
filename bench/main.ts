/**
 * Benchmarks on real servers, which they start themselves: the packed release beside Kafka Connect with Debezium, on the same data and
 * the same broker. Figures are of this machine at this time: compare only within one run.
 *
 *     npm run bench                                   all that is compared, three runs each where it can be repeated
 *     npm run bench -- --quick                        the main rows in five minutes, once
 *     npm run bench -- w1 s1 --json figures.json      some of them; the table on standard output, and all runs as JSON
 *     npm run bench -- --systems tributary            ours alone
 *     npm run bench -- --artefact tributary.tgz       a release that was packed before (tarball or folder), or `workspace`
 *     npm run bench -- w1 --systems tributary --profile 20   with the functions that took the most time
 */
import { writeFileSync } from 'node:fs'
import { runProgram } from '@tributary/testkit'
import { openArtefact, packWorkspace } from './artefact.ts'
import type { Bench, BenchOptions, Figure } from './bench.ts'
import { parseCommand, WORKSPACE, type BenchCommand } from './options.ts'
import { figureTable } from './report/figure-table.ts'
import { loadBefore, reportDocument } from './report/report-document.ts'
import { floors } from './rows/floors.ts'
import { growth } from './rows/growth.ts'
import { heap } from './rows/heap.ts'
import { kill } from './rows/kill.ts'
import { latency } from './rows/latency.ts'
import { memory } from './rows/memory.ts'
import { rest } from './rows/rest.ts'
import { narrowSnapshot, wideSnapshot } from './rows/snapshot.ts'
import { soak } from './rows/soak.ts'
import { startup } from './rows/startup.ts'
import { workloads } from './rows/workloads.ts'

const benches: readonly Bench[] = [
  ...workloads,
  narrowSnapshot,
  wideSnapshot,
  latency,
  startup,
  kill,
  floors,
  ...growth,
  soak,
  heap,
  memory,
  rest,
]

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const command = readCommand(args)
  if (command === null) return 2
  const chosen = chooseBenches(command)
  const load = loadBefore()
  const commit = (await runProgram('git', ['rev-parse', '--short', 'HEAD'])).stdout.trim()
  await using stack = new AsyncDisposableStack()
  const entry = await entryOf(command, stack)
  const options: BenchOptions = { ...command.options, entry }
  const figures: Figure[] = []
  const failures: string[] = []
  for (const bench of chosen) {
    try {
      const own = await bench.run(options)
      figures.push(...own)
      options.note(figureTable(own))
    } catch (error) {
      // The figures of the others are as good as ever.
      failures.push(bench.name)
      console.error(`${bench.name} failed:`, error)
    }
    // What there is by now is kept, whatever becomes of the rest.
    const context = { options, artefact: command.artefact, commit, load, failures }
    const document = reportDocument(figures, context)
    if (command.json !== null) writeFileSync(command.json, `${JSON.stringify(document, null, 2)}\n`)
  }
  console.log(figureTable(figures))
  if (failures.length > 0) console.log(`Failed, and therefore without figures: ${failures.join(', ')}.`)
  return failures.length === 0 ? 0 : 1
}

/** The file that Node is to run; null: this workspace's own. */
async function entryOf({ artefact, options }: BenchCommand, stack: AsyncDisposableStack): Promise<string | null> {
  if (artefact === WORKSPACE) return null
  if (artefact !== null) return stack.use(await openArtefact(artefact)).entry
  options.note('packing the release …')
  return stack.use(await packWorkspace()).entry
}

function chooseBenches({ names, options }: BenchCommand): readonly Bench[] {
  if (names.length > 0) return benches.filter((bench) => names.some((name) => isNamed(bench, name)))
  return benches.filter(({ isRun }) => isRun === 'quick' || (isRun === 'always' && !options.isQuick))
}

function isNamed({ name, aliases = [] }: Bench, text: string): boolean {
  return name === text || aliases.includes(text)
}

/** Null, after having said why, when the arguments are none. */
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
    `usage: npm run bench -- [NAME…] [--quick] [--runs N] [--systems A,B] [--json FILE] [--artefact FOLDER|TARBALL|workspace] [--mariadb] [--profile ENTRIES] [--minutes N]\n${rows.join('\n')}`,
  )
  return null
}
