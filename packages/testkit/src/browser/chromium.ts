import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { testkitErrors } from '../errors.ts'
import { lastLines, runProgram, type ProgramResult } from '../process/run-program.ts'
import { progress, provisioningLock } from '../provision/cache.ts'

const PACKAGES = ['chromium', 'fonts-dejavu-core']

/** The path of Debian's Chromium. If it is missing, apt installs it, which needs root. */
export async function chromiumProgram(): Promise<string> {
  return find() ?? (await install())
}

function find(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, 'chromium')).find((path) => existsSync(path))
}

async function install(): Promise<string> {
  await using _lock = await provisioningLock('chromium-install')
  const installedByOther = find()
  if (installedByOther !== undefined) return installedByOther
  progress(`installing Chromium by apt-get (${PACKAGES.join(', ')})`)
  // As for MariaDB: package lists are updated only if the installation fails.
  let result = await aptGet(INSTALL)
  if (result.code !== 0) {
    await aptGet(['update'])
    result = await aptGet(INSTALL)
  }
  const found = find()
  if (result.code === 0 && found !== undefined) return found
  throw testkitErrors.PROVISIONING_FAILED({
    what: 'Chromium',
    command: `apt-get ${INSTALL.join(' ')}`,
    code: result.code,
    lastLines: lastLines(result.stdout + result.stderr),
    remedy: `apt needs root and a Debian mirror. Run as root: apt-get install ${PACKAGES.join(' ')}. Or install Chromium in another way; chromium must be on the PATH.`,
  })
}

// Waits for another apt, which often runs on a machine that has just started.
const INSTALL = ['-y', '-o', 'DPkg::Lock::Timeout=300', '--no-install-recommends', 'install', ...PACKAGES]

function aptGet(args: readonly string[]): Promise<ProgramResult> {
  const env = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  return runProgram('apt-get', args, { env, purpose: 'installing Chromium', packageName: 'apt, of Debian' })
}
