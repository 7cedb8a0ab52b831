import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { comparePlaces, type SpoolPlace } from './event-facts.ts'

/** What a spool has, for readers that do not open it. It may have more by now. */
export interface SpoolStatus {
  readonly identity: string
  readonly first: SpoolPlace
  readonly end: SpoolPlace
  /** When the server created the file of `end`, in seconds since 1970 by its clock; null: not known yet. */
  readonly createdSeconds: number | null
}

/** @throws the error of the file system */
export function writeSpoolStatus(folder: string, status: SpoolStatus): void {
  const path = pathOf(folder)
  // A reader never sees a part of it.
  writeFileSync(`${path}.new`, JSON.stringify(status), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

export function removeSpoolStatus(folder: string): void {
  rmSync(pathOf(folder), { force: true })
}

/**
 * What the spool in a folder has after a place of the binlog of a server; null when it does not have that place, or when
 * there is no spool. Reads a small file.
 */
export function readSpoolStatus(folder: string, stored: SpoolPlace, identity: string): SpoolStatus | null {
  const status = parse(folder)
  if (status === null || status.identity !== identity) return null
  const isThere = comparePlaces(status.first, stored) <= 0 && comparePlaces(stored, status.end) <= 0
  return isThere ? status : null
}

function parse(folder: string): SpoolStatus | null {
  try {
    const { identity, first, end, createdSeconds } = JSON.parse(
      readFileSync(pathOf(folder), 'utf8'),
    ) as Partial<SpoolStatus>
    if (typeof identity !== 'string' || !isPlace(first) || !isPlace(end)) return null
    return { identity, first, end, createdSeconds: createdSeconds ?? null }
  } catch {
    // Not there, not readable by this process, or damaged: nothing is known of the spool.
    return null
  }
}

function isPlace(place: SpoolPlace | undefined): place is SpoolPlace {
  return typeof place?.file === 'string' && Number.isSafeInteger(place.position)
}

function pathOf(folder: string): string {
  return join(folder, 'status.json')
}
