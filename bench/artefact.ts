import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runProgram, temporaryFolder, type TemporaryFolder } from '@tributary/testkit'

/** A build of the service other than this workspace. */
export interface Artefact extends AsyncDisposable {
  /** The file that Node is to run. */
  readonly entry: string
}

/** Takes a folder with a package.json whose `bin` is `tributary`, or the tarball that `npm pack` made of one. */
export async function openArtefact(path: string): Promise<Artefact> {
  const full = resolve(path)
  if (!existsSync(full)) throw new Error(`--artefact ${path}: there is no such file or folder`)
  if (statSync(full).isDirectory()) return { entry: entryOf(full), [Symbol.asyncDispose]: () => Promise.resolve() }
  const folder = temporaryFolder('artefact')
  try {
    return { entry: await unpack(full, folder), [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
  } catch (error) {
    await folder[Symbol.asyncDispose]()
    throw error
  }
}

/** Installed as a user does it, so that what it depends on is there. */
async function unpack(tarball: string, folder: TemporaryFolder): Promise<string> {
  const args = ['install', '--prefix', folder.path, '--no-audit', '--no-fund', '--no-save', tarball]
  const { code, stderr } = await runProgram('npm', args)
  if (code !== 0) throw new Error(`installing ${tarball} failed: ${stderr}`)
  const command = join(folder.path, 'node_modules', '.bin', 'tributary')
  if (!existsSync(command)) throw new Error(`${tarball} has no command tributary`)
  return command
}

function entryOf(folder: string): string {
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    bin?: string | { tributary?: string }
  }
  const entry = typeof bin === 'string' ? bin : bin?.tributary
  if (entry === undefined) throw new Error(`package.json of ${folder} has no command tributary`)
  return join(folder, entry)
}
