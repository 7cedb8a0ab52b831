import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
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

/** Packs this workspace as a release and installs it: what users have, and what figures are of. */
export async function packWorkspace(): Promise<Artefact> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  await using folder = temporaryFolder('pack')
  const { code, stdout, stderr } = await runProgram(process.execPath, ['scripts/pack.ts', folder.path], { cwd: root })
  const tarball = readdirSync(folder.path).find((name) => name.endsWith('.tgz'))
  if (code !== 0 || tarball === undefined) throw new Error(`packing the release failed: ${stdout}${stderr}`)
  return await openArtefact(join(folder.path, tarball))
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
