/**
 * Benchmarks on real servers, which they start themselves. Figures are of this machine at this time: compare only within one run.
 *
 *     npm run bench                                   all of them, three runs each where it can be repeated
 *     npm run bench -- drain snapshot --quick         some of them, with little work: to see that they run
 *     npm run bench -- memory --json memory.json      the table on standard output, and all runs as JSON
 *     npm run bench -- --artefact tributary.tgz       the packed release instead of this workspace
 *     npm run bench -- drain --profile 20             with the functions that took the most time
 */
import { writeFileSync } from 'node:fs'
import { runProgram } from '@tributary/testkit'
import { openArtefact } from './artefact.ts'
import type { Bench, BenchOptions, Figure } from './bench.ts'
import { parseCommand, type BenchCommand } from './options.ts'
import { figureTable } from './report/figure-table.ts'
import { loadBefore, reportDocument } from './report/report-document.ts'
import { bulk } from './rows/bulk.ts'
import { drain } from './rows/drain.ts'
import { latency } from './rows/latency.ts'
import { memory } from './rows/memory.ts'
import { rest } from './rows/rest.ts'
import { snapshot } from './rows/snapshot.ts'
import { startup } from './rows/startup.ts'

const benches: readonly Bench[] = [drain, bulk, snapshot, latency, memory, startup, rest]

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const command = readCommand(args)
  if (command === null) return 2
  const chosen = benches.filter(({ name }) => command.names.length === 0 || command.names.includes(name))
  const load = loadBefore()
  const commit = (await runProgram('git', ['rev-parse', '--short', 'HEAD'])).stdout.trim()
  await using artefact = command.artefact === null ? null : await openArtefact(command.artefact)
  const options: BenchOptions = { ...command.options, entry: artefact?.entry ?? null }
  const figures: Figure[] = []
  let failures = 0
  for (const bench of chosen) {
    try {
      figures.push(...(await bench.run(options)))
    } catch (error) {
      // The figures of the others are as good as ever.
      failures += 1
      console.error(`${bench.name} failed:`, error)
    }
  }
  console.log(figureTable(figures))
  const document = reportDocument(figures, { options, artefact: command.artefact, commit, load })
  if (command.json !== null) writeFileSync(command.json, `${JSON.stringify(document, null, 2)}\n`)
  return failures === 0 ? 0 : 1
}

/** Null, after having said why, when the arguments are none. */
function readCommand(args: readonly string[]): BenchCommand | null {
  try {
    const command = parseCommand(args)
    const unknown = command.names.find((name) => benches.every((bench) => bench.name !== name))
    if (unknown === undefined) return command
    console.error(`There is no benchmark ${unknown}.`)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    console.error(error.message)
  }
  const rows = benches.map(({ name, summary }) => `  ${name.padEnd(9)} ${summary}`).join('\n')
  console.error(
    `usage: npm run bench -- [NAME…] [--quick] [--runs N] [--json FILE] [--artefact FOLDER|TARBALL] [--mariadb] [--profile ENTRIES]\n${rows}`,
  )
  return null
}
