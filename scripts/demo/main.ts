/**
 * Shows the product at work, from a bare machine: `npm run demo`. What it takes is in options.ts.
 *
 * The exit code is 0 only when every check held; 1 when one did not or something failed, 2 for a wrong command line, 130 when it was
 * ended by Ctrl-C before its end. Whatever happens, what was started is ended.
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
  // Ctrl-C often comes twice, from the terminal and from npm; the second must not cut the cleaning up short.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort())
  return runDemo(demoOptions, new Presenter(process.stdout), ending.signal)
}
