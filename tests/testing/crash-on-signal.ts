/**
 * Loaded into a service with `--import`: SIGWINCH throws an error in each task thread, SIGHUP in the main thread. With
 * PLANTED_LEAK set, SIGWINCH leaks that variable instead: into the log, and into a diagnostic report with the environment.
 */
import { writeSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const STDOUT = 1
const channel = new BroadcastChannel('crash')
const leak = process.env['PLANTED_LEAK']

if (isMainThread) {
  process.on('SIGHUP', () => {
    throw new Error('planted crash of the worker')
  })
  process.on('SIGWINCH', () => {
    if (leak === undefined) channel.postMessage('crash')
    else {
      process.report.excludeEnv = false
      process.report.writeReport()
      writeSync(STDOUT, `planted ${leak}\n`)
    }
  })
} else {
  channel.addEventListener('message', () => {
    throw new Error('planted crash of a task')
  })
}
// The channel must not keep a thread or the process running.
channel.unref()
