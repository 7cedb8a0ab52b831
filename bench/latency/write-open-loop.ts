import { Worker } from 'node:worker_threads'
import type { WriterPlan, WriterReport } from './open-loop-writer.ts'

export interface Written {
  /** When the first transaction was due, in milliseconds since 1970. */
  readonly beginMs: number
  /** When each commit was acknowledged. */
  readonly committedMs: Float64Array
}

/** Runs the writer in its own thread until it has finished. */
export function writeOpenLoop(plan: WriterPlan): Promise<Written> {
  const thread = new Worker(new URL('./open-loop-writer.ts', import.meta.url), { workerData: plan })
  return new Promise((resolve, reject) => {
    let beginMs = NaN
    thread.on('error', reject)
    thread.on('message', (message: WriterReport) => {
      if (message.tag === 'started') beginMs = message.atMs
      else resolve({ beginMs, committedMs: message.committedMs })
    })
  })
}
