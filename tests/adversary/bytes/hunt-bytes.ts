/**
 * Feeds bytes that no server sends to everything that reads what servers send: truncations, oversized lengths, flipped
 * bits, random words. An input that reaches new code is changed further.
 *
 *     npm run hunt -- bytes --inputs 5000000 --seed 1
 *
 * `--first N` begins with that input, `--pause-file PATH` waits while the file exists. Each input must end in a value or
 * in the error of its reader, within two seconds and in a heap of 256 MB. Exit code 1: one did not; it is printed.
 */
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    first: { type: 'string', default: '0' },
    'pause-file': { type: 'string' },
  },
  allowPositionals: true,
})

const HEAP_MB = 256
const INPUT_MS_MAX = 2000
const TICK_MS = 500

let defects = 0
const progress = new SharedArrayBuffer(8)
const reading = new Int32Array(progress)
reading[0] = -1
// Reads internal modules of the package, so it is part of it.
const worker = new Worker(new URL('../../../packages/mysql/src/testing/hostile/hunt-worker.ts', import.meta.url), {
  workerData: {
    seed: Number(values.seed),
    first: Number(values.first),
    count: Number(values.inputs),
    progress,
    pauseFile: values['pause-file'] ?? null,
  },
  resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
})

function report(text: string): void {
  defects += 1
  console.log(`seed ${values.seed}: ${text}`)
}

let last = -1
let ticks = 0
const watchdog = setInterval(() => {
  const index = Atomics.load(reading, 0)
  ticks = index === last && index !== -1 ? ticks + 1 : 0
  last = index
  if (ticks * TICK_MS <= INPUT_MS_MAX) return
  report(`input ${index} has taken more than ${INPUT_MS_MAX} ms`)
  process.exit(1)
}, TICK_MS)

worker.on('message', ({ tag, text }: { readonly tag: 'defect' | 'end'; readonly text: string }) => {
  if (tag === 'defect') report(text)
  else console.log(text)
})
worker.on('error', (error) => {
  report(`input ${Atomics.load(reading, 0)} ended the thread: ${String(error)}`)
})
worker.on('exit', (code) => {
  clearInterval(watchdog)
  process.exit(defects > 0 || code !== 0 ? 1 : 0)
})
