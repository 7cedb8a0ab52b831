import { dirname, join } from 'node:path'
import { testkitErrors } from '../errors.ts'
import { javaProgram, onPath } from './java.ts'
import { runFetch } from './run-fetch.ts'
import { unpackedDebian } from './unpacked-debian.ts'

/**
 * Runs Maven without progress output: that of this machine, or else Debian's, which is unpacked into the cache.
 *
 * @param what the name of what it fetches, for messages
 * @throws PROVISIONING_FAILED with its last lines, PROGRAM_MISSING without Maven and apt
 */
export async function runMaven(what: string, goal: readonly string[], cwd: string): Promise<void> {
  const args = ['-q', '-B', ...goal]
  const { program, env } = await maven(what)
  const remedy =
    'Make sure that Maven reaches its repository (proxy or mirror in its settings.xml), and run the command again.'
  await runFetch(program, args, { what, shownAs: 'mvn', remedy, cwd, env })
}

interface MavenProgram {
  readonly program: string
  readonly env: Readonly<Record<string, string>>
}

async function maven(what: string): Promise<MavenProgram> {
  const [installed] = onPath('mvn')
  if (installed !== undefined) return { program: installed, env: {} }
  if (onPath('apt-get').length === 0) {
    throw testkitErrors.PROGRAM_MISSING({ program: 'mvn', purpose: `fetching ${what}`, package: 'maven' })
  }
  // Java comes from elsewhere.
  const folder = await unpackedDebian('maven', ['maven'], { exclude: /jre|jdk|^java-common$|^lib(c6|gcc|x|jpeg|font)/ })
  const home = dirname(dirname(await javaProgram()))
  return { program: join(folder, 'usr/share/maven/bin/mvn'), env: { JAVA_HOME: home } }
}
