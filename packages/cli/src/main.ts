import { awaitCompilers, visibleText } from '@tributary/support'
import { inspect } from 'node:util'
import { EXIT } from './process/exit-code.ts'
import { createProgram } from './program.ts'

process.on('exit', awaitCompilers)
// A diagnostic report of Node (--report-uncaught-exception and others) contains the environment, where config providers
// and settings have passwords. Node before 22.13 lacks the option.
if ('excludeEnv' in process.report) process.report.excludeEnv = true
try {
  await createProgram(end).parseAsync()
} catch (error) {
  // Only a bug ends here: every expected error has a code, and its command reports it.
  process.stderr.write(`tributary: internal error, please report it: ${visibleText(inspect(error))}\n`)
  end(EXIT.failed)
}

/**
 * Ends the process at once; everything is closed and written by then. A normal end is not safe: Node 24 has been seen
 * to loop forever in its clean-up (Environment::CleanupHandles, for a request that never ended), and in that state
 * handled signals do not end the process.
 */
function end(code: number): never {
  process.exit(code)
}
