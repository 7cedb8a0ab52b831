import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

/**
 * Waits for V8's running compilations and prevents new ones. Call it last before the process exits.
 *
 * `process.exit` joins V8's threads. If one of them compiles and runs out of memory, it requests a garbage collection
 * from this thread and waits: the process hangs for ever, and no signal that has a handler ends it (nodejs/node#54918,
 * seen with 24.21). For Maglev and TurboFan, V8 has a function that waits for them, made for its tests; during that
 * wait this thread counts as parked and receives no such request. Sparkplug has no such function. Its compilations take
 * less than a millisecond, and a busy loop serves their requests.
 */
export function awaitCompilers(): void {
  for (const flag of ENDING) setFlagsFromString(flag)
  const until = performance.now() + SPARKPLUG_MS
  while (performance.now() < until);
  try {
    new Script('%FinalizeOptimization()').runInThisContext()
  } catch {
    // This V8 does not have the function: the process exits without the wait, and rarely hangs.
  }
}

const ENDING = ['--no-concurrent-sparkplug', '--no-maglev', '--no-opt', '--allow-natives-syntax']
const SPARKPLUG_MS = 5
