import { testkitErrors } from '../errors.ts'
import { lastLines, runProgram } from '../process/run-program.ts'

/** Runs Maven, quietly; PROVISIONING_FAILED with its last lines when it fails. `what` is what it fetches. */
export async function runMaven(what: string, goal: readonly string[], cwd: string): Promise<void> {
  const args = ['-q', '-B', ...goal]
  const result = await runProgram('mvn', args, { cwd, purpose: `fetching ${what}`, packageName: 'maven' })
  if (result.code === 0) return
  throw testkitErrors.PROVISIONING_FAILED({
    what,
    command: `mvn ${args.join(' ')}`,
    code: result.code,
    lastLines: lastLines(result.stdout + result.stderr),
    remedy: 'Give Maven a way to its repository (proxy or mirror in its settings.xml) and run the command again.',
  })
}
