// A service keeps for as long as it runs what its first seconds asked for. Two settings keep that small, and each must be there when a
// process begins; so `tributary start` replaces itself with the same program that has them. The process stays the same one for whoever
// started it (execve: number, streams, environment); it takes 40 ms. Elsewhere it goes on as it is.
import v8 from 'node:v8'

// glibc (mallopt(3)): memory that was freed goes back to the system. Set to any value it also stays what it is, instead of growing with the
// largest block ever freed: 10 to 25 MB of the resident memory.
const TRIM = 'MALLOC_TRIM_THRESHOLD_'
const TRIM_BYTES = '1000000'
// The main thread serves REST and stores documents: it needs no young generation of 32 MB.
const MAIN_THREAD = '--max-semi-space-size=1'

export function beginSmall() {
  if (process.platform !== 'linux' || typeof process.execve !== 'function') return
  // Set by whoever started it, or by ourselves.
  if (process.env[TRIM] === undefined) {
    const args = [process.argv0, MAIN_THREAD, ...process.execArgv, ...process.argv.slice(1)]
    process.execve(process.execPath, args, { ...process.env, [TRIM]: TRIM_BYTES })
  }
  // Else the setting would hold for the threads of the tasks as well, which ask for what they need.
  if (process.execArgv.includes(MAIN_THREAD)) v8.setFlagsFromString('--max-semi-space-size=0')
}
