import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SpoolPlace } from './event-facts.ts'

/** The content of a spool, for readers that do not open it. The spool may have more by now. */
export interface SpoolStatus {
  /** The last stored offset that the task knows, to which the spool belongs, as canonical text (`offsetText`). */
  readonly stored: string
  /** Offsets that were sent to be stored after that one, in the same form. They are stored or not. */
  readonly inDoubt: readonly string[]
  /** The server whose binlog it is, as the connector names it. */
  readonly identity: string
  readonly end: SpoolPlace
  /** When the server created the file of `end`, in seconds since 1970 by its clock. */
  readonly createdSeconds: number
}

/** @throws the error of the file system */
export function writeSpoolStatus(folder: string, status: SpoolStatus): void {
  const path = pathOf(folder)
  // Renaming is atomic: a reader never sees a part of the file.
  writeFileSync(`${path}.new`, JSON.stringify(status), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

export function removeSpoolStatus(folder: string): void {
  rmSync(pathOf(folder), { force: true })
  rmSync(`${pathOf(folder)}.new`, { force: true })
}

/** Reads the status, a small file. Null when there is no spool, or the file cannot be read. */
export function readSpoolStatus(folder: string): SpoolStatus | null {
  try {
    const {
      stored,
      inDoubt = [],
      identity,
      end,
      createdSeconds,
    } = JSON.parse(readFileSync(pathOf(folder), 'utf8')) as Partial<SpoolStatus>
    if (typeof stored !== 'string' || typeof identity !== 'string' || !isPlace(end)) return null
    if (!Array.isArray(inDoubt) || !inDoubt.every((each) => typeof each === 'string')) return null
    return typeof createdSeconds === 'number' ? { stored, inDoubt, identity, end, createdSeconds } : null
  } catch {
    // The file is missing, damaged, or not readable by this process.
    return null
  }
}

function isPlace(place: SpoolPlace | undefined): place is SpoolPlace {
  return typeof place?.file === 'string' && Number.isSafeInteger(place.position)
}

/** Whether the spool belongs to a stored offset (`offsetText`). */
export function belongsTo({ stored, inDoubt }: Pick<SpoolStatus, 'stored' | 'inDoubt'>, text: string): boolean {
  return stored === text || inDoubt.includes(text)
}

/** The canonical text of a stored offset: equal offsets have equal texts. */
export function offsetText(document: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(document).filter(([, value]) => value !== undefined && value !== null)
  return JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function pathOf(folder: string): string {
  return join(folder, 'status.json')
}
