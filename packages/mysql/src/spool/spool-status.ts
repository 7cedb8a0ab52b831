import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SpoolPlace } from './event-facts.ts'

/** What a spool has, for readers that do not open it. It may have more by now. */
export interface SpoolStatus {
  /** The last stored offset that the task knows, which the spool has, as canonical text: `offsetText`. */
  readonly stored: string
  /** The server whose binlog it is, as the connector names it. */
  readonly identity: string
  readonly end: SpoolPlace
  /** When the server created the file of `end`, in seconds since 1970 by its clock. */
  readonly createdSeconds: number
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
  rmSync(`${pathOf(folder)}.new`, { force: true })
}

/** Null when there is no spool, or when it cannot be read. Reads a small file. */
export function readSpoolStatus(folder: string): SpoolStatus | null {
  try {
    const { stored, identity, end, createdSeconds } = JSON.parse(
      readFileSync(pathOf(folder), 'utf8'),
    ) as Partial<SpoolStatus>
    if (typeof stored !== 'string' || typeof identity !== 'string' || !isPlace(end)) return null
    return typeof createdSeconds === 'number' ? { stored, identity, end, createdSeconds } : null
  } catch {
    // Not there, not readable by this process, or damaged: nothing is known of the spool.
    return null
  }
}

function isPlace(place: SpoolPlace | undefined): place is SpoolPlace {
  return typeof place?.file === 'string' && Number.isSafeInteger(place.position)
}

/** A stored offset as a text that is the same for the same offset. */
export function offsetText(document: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(document).filter(([, value]) => value !== undefined && value !== null)
  return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function pathOf(folder: string): string {
  return join(folder, 'status.json')
}
