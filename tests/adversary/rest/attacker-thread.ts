/** Runs one attack, in a thread of its own: its bodies have millions of members. */
import { parentPort, workerData } from 'node:worker_threads'
import { attacks } from './attacks.ts'

const { port, attack, durationMs } = workerData as {
  readonly port: number
  readonly attack: string
  readonly durationMs: number
}
const chosen = attacks.find(({ name }) => name === attack)
parentPort?.postMessage(await chosen?.run({ port, signal: AbortSignal.timeout(durationMs) }))
