/**
 * Demonstrates Tributary on a machine where nothing is installed: `npm run demo`. stage/options.ts describes the
 * options.
 *
 * Exit codes: 0 when every check passed, 1 when a check or a step failed, 2 for an invalid command line, 130 after
 * Ctrl-C. In every case the demo stops the processes that it started.
 */
import { describeError } from '@tributary/support'
import { parseOptions, usage, type DemoOptions } from './stage/options.ts'
import { Presenter } from './stage/presenter.ts'
import { runDemo } from './run-demo.ts'

const options = readOptions()
if (options === 'help') process.stdout.write(usage)
else process.exit(typeof options === 'number' ? options : await run(options))

function readOptions(): DemoOptions | 'help' | number {
  try {
    return parseOptions(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`demo: ${describeError(error)}\n`)
    return 2
  }
}

function run(demoOptions: DemoOptions): Promise<number> {
  const ending = new AbortController()
  // Ctrl-C often arrives twice, from the terminal and from npm. The second one must not interrupt the clean-up.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort())
  return runDemo(demoOptions, new Presenter(process.stdout), ending.signal)
}
