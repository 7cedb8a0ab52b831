import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testkitErrors } from '../errors.ts'
import { lastLines, runProgram } from '../process/run-program.ts'
import { progress, provisionFolder } from './cache.ts'

/**
 * Installs a package that the product does not depend on, with its own dependencies, in the cache. Returns a file there:
 * `createRequire` of it finds the package.
 */
export async function installedPackage(name: string, version: string): Promise<string> {
  const folder = await provisionFolder(`npm-${name.replaceAll('/', '-')}-${version}`, async (unfinished) => {
    progress(`fetching ${name} ${version} by npm`)
    await writeFile(join(unfinished, 'package.json'), '{"private":true}\n')
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', `${name}@${version}`]
    const result = await runProgram('npm', args, { cwd: unfinished, purpose: `fetching ${name}` })
    if (result.code === 0) return
    throw testkitErrors.PROVISIONING_FAILED({
      what: name,
      command: `npm ${args.join(' ')}`,
      code: result.code,
      lastLines: lastLines(result.stdout + result.stderr),
      remedy: 'Make sure that npm reaches its registry, and run the command again.',
    })
  })
  return join(folder, 'package.json')
}
