import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

/**
 * Waits for what V8's compilers have under way, and lets them begin nothing more: to be called as the last thing before a process ends.
 *
 * `process.exit` joins V8's threads. One that compiles then, and needs room, asks this thread to collect garbage and waits for it: the process
 * hangs for ever, and no signal that has a handler ends it (nodejs/node#54918, seen with 24.21). For Maglev and TurboFan, V8 has a wait of its
 * own, made for its tests, in which this thread counts as parked, so that nobody asks it for anything. Sparkplug has none; what it has under way
 * takes less than a millisecond, and a thread that runs on does what it is asked for.
 */
export function awaitCompilers(): void {
  for (const flag of ENDING) setFlagsFromString(flag)
  const until = performance.now() + SPARKPLUG_MS
  while (performance.now() < until);
  try {
    new Script('%FinalizeOptimization()').runInThisContext()
  } catch {
    // A V8 without it: the process ends as it did before, and that it hangs is rare.
  }
}

const ENDING = ['--no-concurrent-sparkplug', '--no-maglev', '--no-opt', '--allow-natives-syntax']
const SPARKPLUG_MS = 5
