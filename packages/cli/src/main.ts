import { awaitCompilers } from '@tributary/support'
import { createProgram } from './program.ts'

process.on('exit', awaitCompilers)
await createProgram(end).parseAsync()

/**
 * All is closed and written. The process does not wait for its own end: Node 24 was seen to spin for ever while it cleaned up
 * (Environment::CleanupHandles, for a request that never ends), and signals that have a handler do not end it then.
 */
function end(code: number): never {
  process.exit(code)
}
