import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@tributary/support'
import { SpoolLock, SpoolLockedError } from './spool-lock.ts'
import { removeSpoolStatus } from './spool-status.ts'
import { SEGMENT_NAME } from './spool.ts'

/**
 * Removes a spool that no task uses any more, and its folder unless that has other files. Returns false while a task
 * uses it.
 *
 * @throws the error of the file system
 */
export function removeSpool(folder: string, clock: Clock): boolean {
  if (!existsSync(folder)) return true
  try {
    using _lock = SpoolLock.take({ folder, clock })
    removeSpoolStatus(folder)
    for (const name of readdirSync(folder)) if (SEGMENT_NAME.test(name)) rmSync(join(folder, name), { force: true })
  } catch (error) {
    if (error instanceof SpoolLockedError) return false
    throw error
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder)
  return true
}
