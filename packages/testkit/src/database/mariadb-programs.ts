import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { testkitErrors } from '../errors.ts'
import { lastLines, runProgram } from '../process/run-program.ts'
import type { ProgramResult } from '../process/run-program.ts'
import { progress, provisioningLock } from '../provision/cache.ts'
import type { Command, DatabasePrograms } from './database-programs.ts'

// The programs of mariadb-server without its system service: the packages start no server and create no account.
const PACKAGES = ['mariadb-server-core', 'mariadb-client']

/** The MariaDB of this machine. If it is missing, apt installs it, which needs root. */
export async function mariadbPrograms(): Promise<DatabasePrograms> {
  const folders = (await findPrograms()) ?? (await install())
  const version = await serverVersion(folders)
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : []
  const command = (name: ProgramName, args: readonly string[]): Command => ({
    program: folders[name],
    args: ['--no-defaults', ...args],
  })
  return {
    flavor: 'mariadb',
    productName: 'MariaDB',
    cacheKey: `mariadb-${version}`,
    initialise: (dataFolder) =>
      command('mariadb-install-db', [
        ...asRoot,
        `--datadir=${dataFolder}`,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
      ]),
    // The default of the server without Debian's settings files is latin1.
    server: (args) =>
      command('mariadbd', [
        '--character-set-server=utf8mb4',
        '--collation-server=utf8mb4_general_ci',
        ...asRoot,
        ...args,
      ]),
    client: (args) => command('mariadb', args),
    binlogPrinter: (args) => command('mariadb-binlog', args),
  }
}

const PROGRAM_NAMES = ['mariadbd', 'mariadb-install-db', 'mariadb', 'mariadb-binlog'] as const
type ProgramName = (typeof PROGRAM_NAMES)[number]
type ProgramPaths = Readonly<Record<ProgramName, string>>

/** The four programs; undefined if one is missing. /usr/sbin is not on every user's PATH. */
async function findPrograms(): Promise<ProgramPaths | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  const find = (name: string): string | undefined =>
    folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  const [server, initialiser, client, printer] = PROGRAM_NAMES.map(find)
  if (!server || !initialiser || !client || !printer) return undefined
  return { mariadbd: server, 'mariadb-install-db': initialiser, mariadb: client, 'mariadb-binlog': printer }
}

async function serverVersion({ mariadbd }: ProgramPaths): Promise<string> {
  const { stdout } = await runProgram(mariadbd, ['--no-defaults', '--version'])
  return /Ver ([\d.]+)/.exec(stdout)?.[1] ?? 'unknown'
}

async function install(): Promise<ProgramPaths> {
  await using _lock = await provisioningLock('mariadb-install')
  const installedByOther = await findPrograms()
  if (installedByOther !== undefined) return installedByOther
  progress(`installing MariaDB by apt-get (${PACKAGES.join(', ')})`)
  // A new machine has no package lists, or old ones. They are updated only if the installation fails, because an
  // unrelated broken source makes the update fail.
  let result = await aptGet(INSTALL)
  if (result.code !== 0) {
    await aptGet(['update'])
    result = await aptGet(INSTALL)
  }
  const found = await findPrograms()
  if (result.code === 0 && found !== undefined) return found
  throw testkitErrors.PROVISIONING_FAILED({
    what: 'MariaDB',
    command: `apt-get ${INSTALL.join(' ')}`,
    code: result.code,
    lastLines: lastLines(result.stdout + result.stderr),
    remedy: `apt needs root and a Debian mirror. Run as root: apt-get install ${PACKAGES.join(' ')}. Or install MariaDB in another way; mariadbd and mariadb-binlog must be on the PATH.`,
  })
}

// Waits for another apt, which often runs on a machine that has just started.
const INSTALL = ['-y', '-o', 'DPkg::Lock::Timeout=300', '--no-install-recommends', 'install', ...PACKAGES]

function aptGet(args: readonly string[]): Promise<ProgramResult> {
  const env = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  return runProgram('apt-get', args, { env, purpose: 'installing MariaDB', packageName: 'apt, of Debian' })
}
