import { testkitErrors } from '../errors.ts'
import { lastLines, runProgram, type RunOptions } from '../process/run-program.ts'

export interface FetchOptions extends RunOptions {
  /** The name of what is fetched, for messages. */
  readonly what: string
  /** The program's name in messages. Default: the program. */
  readonly shownAs?: string
  /** What to do when it fails. */
  readonly remedy: string
}

/**
 * Runs a program that fetches something.
 *
 * @throws PROVISIONING_FAILED with its last lines, PROGRAM_MISSING
 */
export async function runFetch(program: string, args: readonly string[], options: FetchOptions): Promise<void> {
  const { what, shownAs = program, remedy, ...runOptions } = options
  const result = await runProgram(program, args, { purpose: `fetching ${what}`, ...runOptions })
  if (result.code === 0) return
  throw testkitErrors.PROVISIONING_FAILED({
    what,
    command: `${shownAs} ${args.join(' ')}`,
    code: result.code,
    lastLines: lastLines(result.stdout + result.stderr),
    remedy,
  })
}
