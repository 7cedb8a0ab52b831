import { testkitErrors } from '../errors.ts'
import { lastLines, runProgram } from '../process/run-program.ts'

/**
 * Runs Maven without progress output.
 *
 * @param what the name of what it fetches, for messages
 * @throws PROVISIONING_FAILED with its last lines
 */
export async function runMaven(what: string, goal: readonly string[], cwd: string): Promise<void> {
  const args = ['-q', '-B', ...goal]
  const result = await runProgram('mvn', args, { cwd, purpose: `fetching ${what}`, packageName: 'maven' })
  if (result.code === 0) return
  throw testkitErrors.PROVISIONING_FAILED({
    what,
    command: `mvn ${args.join(' ')}`,
    code: result.code,
    lastLines: lastLines(result.stdout + result.stderr),
    remedy:
      'Make sure that Maven reaches its repository (proxy or mirror in its settings.xml), and run the command again.',
  })
}
