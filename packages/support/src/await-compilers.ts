import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

/**
 * Waits for what V8's compilers have under way, and lets them begin nothing more: to be called as the last thing before a process ends.
 *
 * `process.exit` joins V8's threads. One that compiles then, and needs room, asks this thread to collect garbage and waits for it: the process
 * hangs for ever, and no signal that has a handler ends it (nodejs/node#54918, seen with 24.21). What V8 has for its own tests waits for the
 * same threads without that: this thread counts as parked, so that nobody asks it for anything.
 */
export function awaitCompilers(): void {
  for (const flag of ['--no-maglev', '--no-opt', '--allow-natives-syntax']) setFlagsFromString(flag)
  try {
    new Script('%FinalizeOptimization()').runInThisContext()
  } catch {
    // A V8 without it: the process ends as it did before, and that it hangs is rare.
  }
}
