import { progress, provisionFolder } from './cache.ts'
import { runFetch } from './run-fetch.ts'

/**
 * Installs a package of the Python index, with its own dependencies, in a folder of the cache. Returns that folder: it
 * belongs into PYTHONPATH, and its programs are in `bin`.
 */
export function installedPythonPackage(name: string, version: string): Promise<string> {
  return provisionFolder(`python-${name}-${version}`, async (unfinished) => {
    progress(`fetching ${name} ${version} by pip`)
    const args = ['-m', 'pip', 'install', '--quiet', '--target', unfinished, `${name}==${version}`]
    const remedy = 'Make sure that pip reaches its index, and run the command again.'
    await runFetch('python3', args, { what: name, remedy, packageName: 'python3-pip' })
  })
}
