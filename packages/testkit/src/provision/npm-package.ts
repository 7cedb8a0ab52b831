import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { progress, provisionFolder } from './cache.ts'
import { runFetch } from './run-fetch.ts'

/**
 * Installs a package that the product does not depend on, with its own dependencies, in the cache. Returns a file there:
 * `createRequire` of it finds the package.
 */
export async function installedPackage(name: string, version: string): Promise<string> {
  const folder = await provisionFolder(`npm-${name.replaceAll('/', '-')}-${version}`, async (unfinished) => {
    progress(`fetching ${name} ${version} by npm`)
    await writeFile(join(unfinished, 'package.json'), '{"private":true}\n')
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', `${name}@${version}`]
    const remedy = 'Make sure that npm reaches its registry, and run the command again.'
    await runFetch('npm', args, { what: name, remedy, cwd: unfinished })
  })
  return join(folder, 'package.json')
}
