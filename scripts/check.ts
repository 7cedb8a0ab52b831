/**
 * Runs all checks except tests: types, lint, format, import directions, documentation. Prints a line per part, and the
 * output of the parts that failed.
 *
 *     npm run check              all parts
 *     npm run check -- lint      only parts whose name contains the word
 *     npm run format             formats all files and applies the fixes that lint knows
 *
 * The exit code is 1 when a part failed.
 */
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

interface Part {
  readonly name: string
  /** A program of node_modules/.bin (npm scripts have it on the PATH) or of the system, and its arguments. */
  readonly check: readonly [string, ...string[]]
  /** The program that fixes findings, where there is one. */
  readonly fix?: readonly [string, ...string[]]
}

/** The slowest first, so that the others run concurrently with it. */
const PARTS: readonly Part[] = [
  { name: 'types', check: ['tsc', '--project', '.'] },
  { name: 'types-ui', check: ['tsc', '--project', 'packages/ui'] },
  {
    name: 'lint',
    check: ['oxlint', '--type-aware', '--deny-warnings', '--report-unused-disable-directives'],
    fix: ['oxlint', '--type-aware', '--fix'],
  },
  {
    name: 'imports',
    check: ['depcruise', '--config', '.dependency-cruiser.cjs', 'packages', 'scripts', 'bench', 'tests'],
  },
  { name: 'docs', check: [process.execPath, 'scripts/docs.ts', '--check'] },
  { name: 'format', check: ['oxfmt', '--check', '.'], fix: ['oxfmt', '.'] },
]

interface Result {
  readonly part: Part
  readonly output: string
  readonly code: number
  readonly seconds: number
}

const root = fileURLToPath(new URL('..', import.meta.url))
const args = process.argv.slice(2)
const words = args.filter((arg) => !arg.startsWith('--'))
const chosen = PARTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
const unknownOption = args.find((arg) => arg.startsWith('--') && arg !== '--fix')
if (chosen.length === 0 || unknownOption !== undefined) {
  console.error(`usage: check.ts [--fix] [${PARTS.map(({ name }) => name).join('|')}]…`)
  process.exit(2)
}
const results = args.includes('--fix') ? await fixAll(chosen) : await checkAll(chosen)
const failed = results.filter(({ code }) => code !== 0)
for (const { part, output } of failed) console.log(`\n── ${part.name} ──\n${output.trimEnd()}`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Runs as many parts at a time as there are cores. */
async function checkAll(parts: readonly Part[]): Promise<Result[]> {
  const waiting = [...parts]
  const done: Result[] = []
  const work = async (): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const result = await run(part, part.check)
      report(result)
      done.push(result)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return done
}

/** Runs one part after the other, because two programs must not write the same file at once. */
async function fixAll(parts: readonly Part[]): Promise<Result[]> {
  const done: Result[] = []
  for (const part of parts) {
    if (part.fix === undefined) continue
    const result = await run(part, part.fix)
    report(result)
    done.push(result)
  }
  return done
}

function run(part: Part, [program, ...programArgs]: readonly [string, ...string[]]): Promise<Result> {
  const start = performance.now()
  return new Promise((resolve) => {
    const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 }
    execFile(program, programArgs, options, (error, stdout, stderr) => {
      const seconds = (performance.now() - start) / 1000
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      // A program that could not be started, or was killed, has printed nothing; the error has the reason.
      const reason = error === null || typeof error.code === 'number' ? '' : error.message
      resolve({ part, output: [stdout, stderr, reason].filter((text) => text !== '').join('\n'), code, seconds })
    })
  })
}

function report({ part, code, seconds }: Result): void {
  console.log(`${part.name.padEnd(8)} ${code === 0 ? 'ok' : 'FAILED'}  ${seconds.toFixed(1)} s`)
}
