import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a server with a keyring is started with instead. */
export interface MySqlKeyring {
  readonly program: string
  readonly args: readonly string[]
}

/**
 * Prepares a server whose component_keyring_file keeps its keys in a folder. MySQL looks for the list of such
 * components beside its program, and for their settings beside the component: so both are copied there (90 MB).
 *
 * @param root of the unpacked packages
 */
export async function mysqlKeyring(root: string, folder: string): Promise<MySqlKeyring> {
  const [programs, plugins] = [join(folder, 'sbin'), join(folder, 'plugin')]
  const component = 'component_keyring_file'
  for (const each of [programs, plugins]) await mkdir(each, { recursive: true })
  const program = join(programs, 'mysqld')
  await copyFile(join(root, 'usr/sbin/mysqld'), program)
  await copyFile(join(root, `usr/lib/mysql/plugin/${component}.so`), join(plugins, `${component}.so`))
  await writeFile(join(programs, 'mysqld.my'), JSON.stringify({ components: `file://${component}` }))
  const settings = { path: join(folder, 'keys'), read_only: false }
  await writeFile(join(plugins, `${component}.cnf`), JSON.stringify(settings))
  return { program, args: [`--plugin-dir=${plugins}`] }
}
