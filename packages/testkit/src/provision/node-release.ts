import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { provisionFolder } from './cache.ts'

/**
 * The program `node` of a release other than the one that runs the tests. npm downloads it once, as a package that
 * contains only the binary of the Node project. It is not a dependency of the workspace, which needs only one Node.
 */
export async function nodeRelease(version: string, architecture: 'x64' | 'arm64' = 'x64'): Promise<string> {
  const name = `node-linux-${architecture}`
  const suffix = architecture === 'x64' ? '' : `-${architecture}`
  const folder = await provisionFolder(`node-${version}${suffix}`, async (unfinished) => {
    // `--force`: npm refuses packages for another processor.
    const force = architecture === 'x64' ? [] : ['--force', '--ignore-scripts']
    const args = ['install', '--prefix', unfinished, '--no-save', '--no-package-lock', ...force, `${name}@${version}`]
    await promisify(execFile)('npm', args, { cwd: unfinished })
  })
  return join(folder, 'node_modules', name, 'bin', 'node')
}
