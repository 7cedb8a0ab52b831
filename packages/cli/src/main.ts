import { awaitCompilers } from '@tributary/support'
import { createProgram } from './program.ts'

process.on('exit', awaitCompilers)
await createProgram(end).parseAsync()

/**
 * Ends the process at once; everything is closed and written by then. A normal end is not safe: Node 24 has been seen
 * to loop forever in its clean-up (Environment::CleanupHandles, for a request that never ended), and in that state
 * handled signals do not end the process.
 */
function end(code: number): never {
  process.exit(code)
}
