import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { progress, provisionFolder } from '../provision/cache.ts'
import { unpackDebianPackages } from '../provision/debian-packages.ts'
import { mysqlKeyring } from './mysql-keyring.ts'
import type { Command, DatabasePrograms } from './database-programs.ts'

const SUITE = 'sid'
const PACKAGES = ['mysql-server-core', 'mysql-client-core']
/** Dependencies of the scripts in the packages (mysqldumpslow), which are not used here: 50 MB. */
const NOT_NEEDED = /^(perl|libperl|libdb5|libgdbm)/
const LIBRARIES = 'usr/lib/x86_64-linux-gnu'

/**
 * MySQL from Debian unstable, the only suite that has it. The packages are unpacked into a folder and not installed.
 *
 * The programs need a newer C library than that of Debian 12, so the loader in the unpacked packages starts each of
 * them.
 *
 * @param keyringFolder where the server keeps the keys of encrypted files; default: it encrypts none
 */
export async function mysqlPrograms(keyringFolder?: string): Promise<DatabasePrograms> {
  const recipe = createHash('sha256').update([SUITE, ...PACKAGES, NOT_NEEDED.source].join(' '))
  const cacheKey = `mysql-${recipe.digest('hex').slice(0, 12)}`
  const root = await provisionFolder(cacheKey, unpack)
  const libraryPath = [join(root, LIBRARIES), join(root, 'usr/lib/mysql/private')].join(':')
  const keyring = keyringFolder === undefined ? null : await mysqlKeyring(root, keyringFolder)
  const started = (path: string, args: readonly string[]): Command => ({
    program: join(root, LIBRARIES, 'ld-linux-x86-64.so.2'),
    args: ['--library-path', libraryPath, path, '--no-defaults', ...args],
  })
  const command = (program: string, args: readonly string[]): Command => started(join(root, program), args)
  const server = (args: readonly string[]): Command =>
    started(keyring?.program ?? join(root, 'usr/sbin/mysqld'), [
      `--basedir=${join(root, 'usr')}`,
      `--lc-messages-dir=${join(root, 'usr/share/mysql')}`,
      '--secure-file-priv=',
      '--mysqlx=OFF',
      ...(process.getuid?.() === 0 ? ['--user=root'] : []),
      ...(keyring?.args ?? []),
      ...args,
    ])
  return {
    flavor: 'mysql',
    productName: 'MySQL',
    cacheKey,
    initialise: (dataFolder) => server(['--initialize-insecure', `--datadir=${dataFolder}`]),
    server,
    client: (args) => command('usr/bin/mysql', args),
    binlogPrinter: (args) => command('usr/bin/mysqlbinlog', args),
  }
}

async function unpack(folder: string): Promise<void> {
  progress('fetching MySQL from Debian unstable (60 MB)')
  await unpackDebianPackages({ what: 'MySQL', suite: SUITE, packages: PACKAGES, exclude: NOT_NEEDED, folder })
  const share = join(folder, 'usr/share')
  for (const name of await readdir(share)) {
    if (name !== 'mysql') await rm(join(share, name), { recursive: true })
  }
}
