/**
 * Entry file of the watchdog's thread. It imports next to nothing, so that its heap stays small, and has no event loop:
 * it waits in `Atomics.wait` between its ticks.
 */
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { BEAT, DEBUGGED, STOP_LIMIT, WAKE } from './watchdog-memory.ts'
import { TICK_MS, WatchdogDecision } from './watchdog-decision.ts'

const memory = new Int32Array(workerData as SharedArrayBuffer)
const decision = new WatchdogDecision()
const STANDARD_ERROR = 2

/** Writes to the descriptor: a thread's `process.stderr` needs the main thread. */
function report(text: string): void {
  try {
    writeSync(STANDARD_ERROR, `tributary: ${text}.\n`)
  } catch {
    // Nobody reads the stream any more. The process must end nevertheless.
  }
}

for (;;) {
  // Nobody wakes it: a stop is limited from the next tick on.
  Atomics.wait(memory, WAKE, 0, TICK_MS)
  const made = decision.tick({
    beat: Atomics.load(memory, BEAT),
    stopLimitMs: Atomics.load(memory, STOP_LIMIT),
    isDebugged: Atomics.load(memory, DEBUGGED) === 1,
  })
  if (made.tag !== 'none') report(made.text)
  // Other ways to end need the main thread.
  if (made.tag === 'end') process.kill(process.pid, 'SIGKILL')
}
