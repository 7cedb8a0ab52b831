/**
 * The thread that reads hostile inputs. It publishes the number of the input that it reads, so that the main thread can
 * end it when an input takes too long (tests/adversary/bytes/hunt-bytes.ts).
 */
import { existsSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { CodeCoverage } from './code-coverage.ts'
import { type HostileInput, HostileInputs, outcomeOf } from './hostile-inputs.ts'
import { surfaces } from './surfaces.ts'

interface HuntOptions {
  readonly seed: number
  /** Number of the first input. */
  readonly first: number
  readonly count: number
  /** int<4> number of the input that is read; -1: paused. */
  readonly progress: SharedArrayBuffer
  /** While this file exists, nothing is read. */
  readonly pauseFile: string | null
}

/** Coverage takes milliseconds, so it is taken of batches. */
const BATCH = 64
/** Of a batch that reaches new code. Which of its inputs did is not known. */
const KEPT_OF_BATCH = 4
const PAUSE_MS = 1000

const { seed, first, count, progress, pauseFile } = workerData as HuntOptions
const inputs = new HostileInputs(surfaces, seed)
const reading = new Int32Array(progress)
const figures = new Map<string, { read: number; refused: number; defects: number }>()
let slowestMs = 0
let peakBytes = 0
let defects = 0

function readOne(index: number): HostileInput {
  const input = inputs.at(index)
  Atomics.store(reading, 0, index)
  const start = performance.now()
  const outcome = outcomeOf(input)
  slowestMs = Math.max(slowestMs, performance.now() - start)
  const { name } = input.surface
  const figure = figures.get(name) ?? { read: 0, refused: 0, defects: 0 }
  figures.set(name, figure)
  if (outcome.tag === 'read') figure.read += 1
  else if (outcome.tag === 'refused') figure.refused += 1
  else {
    figure.defects += 1
    defects += 1
    const shown = input.bytes.toString('hex').slice(0, 4000)
    parentPort?.postMessage({ tag: 'defect', text: `input ${index}, ${name}: ${outcome.error}\n  ${shown}` })
  }
  return input
}

/** Inputs that are read to their end lead further than those that are refused. */
async function keepNew(batch: readonly HostileInput[], coverage: CodeCoverage): Promise<void> {
  Atomics.store(reading, 0, -1)
  if ((await coverage.newBlocks()) === 0) return
  const read = batch.filter((input) => outcomeOf(input).tag === 'read')
  for (const input of [...read, ...batch].slice(0, KEPT_OF_BATCH)) inputs.keep(input)
}

function pause(): void {
  Atomics.store(reading, 0, -1)
  Atomics.wait(reading, 1, 0, PAUSE_MS)
}

function report(blocks: number): string {
  const rows = [...figures].map(([name, figure]) => `| ${[name, ...Object.values(figure)].join(' | ')} |`)
  const facts = [
    `${count} inputs, seed ${seed}: ${defects} defects`,
    `slowest ${slowestMs.toFixed(0)} ms`,
    `memory ${(peakBytes / 2 ** 20).toFixed(0)} MB`,
    `${blocks} blocks of code`,
    `${inputs.corpusSize} inputs in the corpus`,
  ]
  return ['| surface | read | refused | defects |', '|---|---|---|---|', ...rows, facts.join('; ')].join('\n')
}

const coverage = await CodeCoverage.start()
for (let index = first; index < first + count;) {
  while (pauseFile !== null && existsSync(pauseFile)) pause()
  const batch: HostileInput[] = []
  for (; batch.length < BATCH && index < first + count; index++) batch.push(readOne(index))
  await keepNew(batch, coverage)
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
}
parentPort?.postMessage({ tag: 'end', text: report(coverage.blocks) })
coverage[Symbol.dispose]()
