import { readdir, readlink, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { progress, provisionFolder } from './cache.ts'
import { unpackDebianPackages } from './debian-packages.ts'

/** Debian 12, whose programs run on it and on later releases. */
const SUITE = 'bookworm'

export interface UnpackedDebianOptions {
  /** Default: Debian 12. */
  readonly suite?: string
  /** Default: that of the machine. */
  readonly architecture?: string
  /** Dependencies that are not unpacked. */
  readonly exclude?: RegExp
  /** Completes the folder, before others see it. */
  readonly complete?: (folder: string) => Promise<void>
}

/**
 * The folder of Debian packages with their dependencies, which takes the place of `/`. They are unpacked once into the
 * cache; nothing is installed. Symbolic links to absolute paths lead into the folder.
 *
 * @param name of the folder in the cache, and in messages
 */
export function unpackedDebian(
  name: string,
  packages: readonly string[],
  { suite = SUITE, complete, ...options }: UnpackedDebianOptions = {},
): Promise<string> {
  return provisionFolder(`${name}-${suite}`, async (folder) => {
    progress(`fetching ${packages.join(', ')} from Debian`)
    await unpackDebianPackages({
      what: packages.join(', '),
      suite,
      packages,
      folder,
      ...options,
    })
    await keepLinksInside(folder)
    await complete?.(folder)
  })
}

/** Relative, because the folder is renamed at the end. */
async function keepLinksInside(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((each) => each.isSymbolicLink())) {
    const link = join(entry.parentPath, entry.name)
    const target = await readlink(link)
    if (!target.startsWith('/')) continue
    await rm(link)
    await symlink(relative(dirname(link), join(folder, target)), link)
  }
}
