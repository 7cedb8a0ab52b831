import { workerData, type MessagePort } from 'node:worker_threads'
import { systemClock } from '@tributary/support'

/** A thread that logs more lines in a second is debugged with the log itself; the page must not fill the main thread. */
const LINES_PER_SECOND_MAX = 100

/**
 * Returns a function that passes the log lines of this thread on to the main thread, for the page. It drops lines beyond
 * a hundred in a second; the log itself has them all.
 */
export function forwardLines(): (line: string) => void {
  const port = (workerData as { readonly log?: MessagePort } | null)?.log
  let second = 0
  let count = 0
  return (line) => {
    const now = Math.floor(systemClock.monotonicMs() / 1_000)
    count = now === second ? count + 1 : 1
    second = now
    if (count <= LINES_PER_SECOND_MAX) port?.postMessage(line)
  }
}
