import { testkitErrors } from '../errors.ts'
import { lastLines, runProgram } from '../process/run-program.ts'
import { progress, provisionFolder } from './cache.ts'

/**
 * Installs a package of the Python index, with its own dependencies, in a folder of the cache. Returns that folder: it
 * belongs into PYTHONPATH, and its programs are in `bin`.
 */
export function installedPythonPackage(name: string, version: string): Promise<string> {
  return provisionFolder(`python-${name}-${version}`, async (unfinished) => {
    progress(`fetching ${name} ${version} by pip`)
    const args = ['-m', 'pip', 'install', '--quiet', '--target', unfinished, `${name}==${version}`]
    const result = await runProgram('python3', args, { purpose: `fetching ${name}`, packageName: 'python3-pip' })
    if (result.code === 0) return
    throw testkitErrors.PROVISIONING_FAILED({
      what: name,
      command: `python3 ${args.join(' ')}`,
      code: result.code,
      lastLines: lastLines(result.stdout + result.stderr),
      remedy: 'Make sure that pip reaches its index, and run the command again.',
    })
  })
}
