import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgram, temporaryFolder, type TemporaryFolder } from '@tributary/testkit'

/** A build of the service other than this workspace. */
export interface Artefact extends AsyncDisposable {
  /** The file that Node runs. */
  readonly entry: string
  /** For the report: the commit of a checkout, else the name of the file or folder. */
  readonly description: string
}

/**
 * Opens the build that the option `option` names: a checkout of Tributary, which is packed first; a folder with a
 * package.json whose `bin` is `tributary`; or the tarball that `npm pack` made of such a folder.
 */
export async function openArtefact(path: string, option: '--artefact' | '--against'): Promise<Artefact> {
  const full = resolve(path)
  if (!existsSync(full)) throw new Error(`${option} ${path}: there is no such file or folder`)
  if (existsSync(join(full, PACK_SCRIPT))) return packCheckout(full)
  const description = basename(full)
  if (statSync(full).isDirectory()) {
    return { entry: entryOf(full), description, [Symbol.asyncDispose]: () => Promise.resolve() }
  }
  return install(full, description)
}

/** Packs this workspace as a release and installs it, as users do: the figures are those of the package. */
export async function packWorkspace(): Promise<Artefact> {
  return packCheckout(fileURLToPath(new URL('../..', import.meta.url)))
}

const PACK_SCRIPT = 'scripts/pack.ts'

async function packCheckout(root: string): Promise<Artefact> {
  await using folder = temporaryFolder('pack')
  const { code, stdout, stderr } = await runProgram(process.execPath, [PACK_SCRIPT, folder.path], { cwd: root })
  const tarball = readdirSync(folder.path).find((name) => name.endsWith('.tgz'))
  if (code !== 0 || tarball === undefined) throw new Error(`packing ${root} failed: ${stdout}${stderr}`)
  return await install(join(folder.path, tarball), `checkout at ${await commitOf(root)}`)
}

/** The short hash of the commit that is checked out in a folder. */
export async function commitOf(root: string): Promise<string> {
  return (await runProgram('git', ['-C', root, 'rev-parse', '--short', 'HEAD'])).stdout.trim()
}

async function install(tarball: string, description: string): Promise<Artefact> {
  const folder = temporaryFolder('artefact')
  try {
    const entry = await installInto(folder, tarball)
    return { entry, description, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
  } catch (error) {
    await folder[Symbol.asyncDispose]()
    throw error
  }
}

/** Lets npm install the tarball, so that its dependencies are installed too. Returns the file of the command. */
async function installInto(folder: TemporaryFolder, tarball: string): Promise<string> {
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
