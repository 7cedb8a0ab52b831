// A process keeps the memory that its first seconds allocate. Two settings limit it, and both must be set when the
// process begins, so that `tributary start` replaces itself by the same program with these settings. It remains the
// same process to its parent (execve keeps process id, streams and environment), and the replacement takes 40 ms. On
// other systems than Linux, and on Node versions without execve, the program continues without them.
import v8 from 'node:v8'

// glibc (mallopt(3)): the amount of free memory from which on it is returned to the system. Setting it also keeps glibc
// from raising it to the size of the largest block freed so far, which costs 10 to 25 MB of resident memory.
const TRIM = 'MALLOC_TRIM_THRESHOLD_'
const TRIM_BYTES = '1000000'
// The main thread serves REST and stores documents, and needs no young generation of 32 MB.
const MAIN_THREAD = '--max-semi-space-size=1'

export function limitMemory() {
  if (process.platform !== 'linux' || typeof process.execve !== 'function') return
  // If it is set, either the user has set it or this process has been replaced already.
  if (process.env[TRIM] === undefined) {
    const args = [process.argv0, MAIN_THREAD, ...process.execArgv, ...process.argv.slice(1)]
    process.execve(process.execPath, args, { ...process.env, [TRIM]: TRIM_BYTES })
  }
  // Reset, because the setting would also apply to the threads of tasks, which set their own limits.
  if (process.execArgv.includes(MAIN_THREAD)) v8.setFlagsFromString('--max-semi-space-size=0')
}
