import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testkitErrors } from '../errors.ts'
import { lastLines, runProgram } from '../process/run-program.ts'
import type { ProgramResult } from '../process/run-program.ts'

export interface UnpackOptions {
  /** For messages: `MySQL`. */
  readonly what: string
  /** Debian suite to take the packages from, whatever the machine itself runs. */
  readonly suite: string
  /** Unpacked with all that they depend on. */
  readonly packages: readonly string[]
  /** Left out although something depends on it, because no program that is used here needs it. */
  readonly exclude?: RegExp
  /** Must exist; the packages' files appear below it as below `/`. */
  readonly folder: string
}

/**
 * Unpacks Debian packages and all they depend on into a folder, beside the system: nothing is installed, no script of a
 * package runs, root is not needed. apt gets lists, cache and status of its own below the folder, and they go at the end.
 */
export async function unpackDebianPackages(options: UnpackOptions): Promise<void> {
  const { what, suite, packages, exclude, folder } = options
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
    // Programs below a private folder cannot be read by apt's own user.
    'APT::Sandbox::User=root',
  ].flatMap((setting) => ['-o', setting])
  await run('apt-get', [...own, 'update'])
  const closure = await run('apt-cache', [...own, 'depends', '--recurse', ...ONLY_NEEDED, ...packages])
  // Lines of relations are indented, virtual packages stand in angle brackets: what is left are packages.
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

/** Where this machine takes Debian from: its mirror has the other suites too, and a proxy or mirror in its settings is kept. */
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
    remedy: 'It names no Debian archive (…/debian/dists/…): run this on Debian, or add one to the sources of apt.',
  })
}

/** Runs a packaging program; PROVISIONING_FAILED with its last lines when it fails. */
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
      'Look whether this machine reaches its Debian mirror and has 1 GB of disk left; then run the command again.',
  })
}
