import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { provisionFolder } from '../provision/cache.ts'
import { runOrFail } from '../provision/debian-packages.ts'
import { mariadbPrograms } from './mariadb-programs.ts'

/**
 * The folder for `--plugin-dir`. Debian's package of the plugins would also install a system service, so it is only
 * unpacked.
 */
export async function mariadbPluginFolder(): Promise<string> {
  if (existsSync(join(SYSTEM_FOLDER, 'file_key_management.so'))) return SYSTEM_FOLDER
  const { cacheKey } = await mariadbPrograms()
  const folder = await provisionFolder(`${cacheKey}-plugins`, (empty) => unpack(empty, 'mariadb-server'))
  return join(folder, SYSTEM_FOLDER)
}

/** The folder of the plugins of MariaDB's own tests, among them a column type that no release has. */
export async function mariadbTestPluginFolder(): Promise<string> {
  const { cacheKey } = await mariadbPrograms()
  const folder = await provisionFolder(`${cacheKey}-test-plugins`, (empty) => unpack(empty, 'mariadb-test'))
  return join(folder, SYSTEM_FOLDER)
}

async function unpack(folder: string, name: string): Promise<void> {
  const what = "MariaDB's plugins"
  const downloads = join(folder, '.downloads')
  await mkdir(downloads)
  // apt's own user cannot write to a private folder.
  await runOrFail(what, 'apt-get', ['-o', 'APT::Sandbox::User=root', 'download', name], downloads)
  for (const file of await readdir(downloads)) {
    await runOrFail(what, 'dpkg-deb', ['--extract', join(downloads, file), folder])
  }
  await rm(downloads, { recursive: true })
}

const SYSTEM_FOLDER = '/usr/lib/mysql/plugin'
