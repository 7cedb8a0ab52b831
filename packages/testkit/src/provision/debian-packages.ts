import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testkitErrors } from '../errors.ts'
import { lastLines, runProgram } from '../process/run-program.ts'
import type { ProgramResult } from '../process/run-program.ts'

export interface UnpackOptions {
  /** For messages: `MySQL`. */
  readonly what: string
  /** The Debian suite of the packages, whatever the suite of the machine is. */
  readonly suite: string
  /** These packages and all their dependencies are unpacked. */
  readonly packages: readonly string[]
  /** Default: that of the machine. */
  readonly architecture?: string
  /** Dependencies that are not unpacked, because no program that is used here needs them. */
  readonly exclude?: RegExp
  /** An existing folder, which takes the place of `/`. */
  readonly folder: string
}

/**
 * Unpacks Debian packages and their dependencies into a folder. Nothing is installed, no script of a package runs, and
 * root is not needed. apt uses separate lists, cache and status in the folder, which are removed at the end.
 */
export async function unpackDebianPackages(options: UnpackOptions): Promise<void> {
  const { what, suite, packages, exclude, folder, architecture } = options
  const apt = join(folder, '.apt')
  const downloads = join(apt, 'downloads')
  for (const path of ['lists/partial', 'cache/archives/partial', 'downloads']) {
    await mkdir(join(apt, path), { recursive: true })
  }
  const run = (program: string, args: readonly string[], cwd = apt): Promise<ProgramResult> =>
    runOrFail(what, program, args, cwd)
  const sources = join(apt, 'sources.list')
  await writeFile(sources, `deb [signed-by=${KEYRING}] ${await mirrorAddress(what)} ${suite} main\n`)
  const own = [
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::Lists=${join(apt, 'lists')}`,
    `Dir::Cache=${join(apt, 'cache')}`,
    `Dir::Cache::archives=${join(apt, 'cache', 'archives')}`,
    'Dir::State::status=/dev/null',
    // apt's own user cannot read a private folder.
    'APT::Sandbox::User=root',
    ...(architecture === undefined ? [] : [`APT::Architecture=${architecture}`, `APT::Architectures=${architecture}`]),
  ].flatMap((setting) => ['-o', setting])
  await run('apt-get', [...own, 'update'])
  const closure = await run('apt-cache', [...own, 'depends', '--recurse', ...ONLY_NEEDED, ...packages])
  // Lines of relations are indented, and virtual packages are in angle brackets; all other lines are packages.
  const names = new Set(closure.stdout.split('\n').filter((line) => /^[a-z0-9]/.test(line)))
  const wanted = [...names].filter((name) => exclude?.test(name) !== true)
  await run('apt-get', [...own, 'download', ...wanted], downloads)
  for (const file of await readdir(downloads)) await run('dpkg-deb', ['--extract', join(downloads, file), folder])
  await rm(apt, { recursive: true })
}

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
const ONLY_NEEDED = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
  (kind) => `--no-${kind}`,
)

/** The Debian mirror in this machine's settings. It has the other suites too, and apt's proxy settings apply to it. */
async function mirrorAddress(what: string): Promise<string> {
  const args = ['update', '--print-uris']
  const { stdout } = await runOrFail(what, 'apt-get', args)
  const release = /'([^']+\/debian\/)dists\/[^']+\/InRelease'/.exec(stdout)
  if (release?.[1] !== undefined) return release[1]
  throw testkitErrors.PROVISIONING_FAILED({
    what,
    command: `apt-get ${args.join(' ')}`,
    code: 0,
    lastLines: lastLines(stdout),
    remedy:
      'The output names no Debian archive (…/debian/dists/…). Run this on Debian, or add an archive to the sources of apt.',
  })
}

/**
 * Runs a packaging program.
 *
 * @throws PROVISIONING_FAILED with its last lines
 */
export async function runOrFail(
  what: string,
  program: string,
  args: readonly string[],
  cwd?: string,
): Promise<ProgramResult> {
  const env = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  const where = cwd === undefined ? {} : { cwd }
  const purpose = `unpacking ${what}`
  const result = await runProgram(program, args, { env, purpose, packageName: 'apt and dpkg, of Debian', ...where })
  if (result.code === 0) return result
  throw testkitErrors.PROVISIONING_FAILED({
    what,
    command: `${program} ${args.join(' ')}`,
    code: result.code,
    lastLines: lastLines(result.stdout + result.stderr),
    remedy:
      'Make sure that this machine reaches its Debian mirror and has 1 GB of free disk, and run the command again.',
  })
}
