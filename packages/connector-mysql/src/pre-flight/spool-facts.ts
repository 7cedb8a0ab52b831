import { access, constants, readdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describeError, toError } from '@tributary/support'

/** The disk for the spool of a connector, on the machine of the check. */
export type SpoolFacts =
  | {
      readonly tag: 'usable'
      /** Bytes that the connector may write, including those of its spool. */
      readonly freeBytes: number
      /** The folder is in memory: it is empty after a restart of the machine. */
      readonly isInMemory: boolean
    }
  | { readonly tag: 'unusable'; readonly reason: string }

/** Inspects a folder that need not exist. Creates nothing. */
export async function readSpoolFacts(folder: string): Promise<SpoolFacts> {
  try {
    const existing = await firstExisting(folder)
    if (!(await stat(existing)).isDirectory()) return { tag: 'unusable', reason: `${existing} is not a folder` }
    await access(existing, constants.R_OK | constants.W_OK | constants.X_OK)
    const { bavail, bsize, type } = await statfs(existing)
    const used = existing === folder ? await bytesIn(folder) : 0
    return { tag: 'usable', freeBytes: bavail * bsize + used, isInMemory: MEMORY_TYPES.has(type) }
  } catch (error) {
    return { tag: 'unusable', reason: describeError(toError(error)) }
  }
}

/** The folder itself, or the one in which it would be created. */
async function firstExisting(folder: string): Promise<string> {
  try {
    await stat(folder)
    return folder
  } catch (error) {
    const parent = dirname(folder)
    if (parent === folder || !(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    return firstExisting(parent)
  }
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder)
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** A running task may remove the file at any time. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch {
    return 0
  }
}

/** `statfs(2)`: TMPFS_MAGIC, RAMFS_MAGIC. */
const MEMORY_TYPES: ReadonlySet<number> = new Set([0x01_02_19_94, 0x85_84_58_f6])
