import type { Logger } from '@tributary/support'
import { type SnapshotMode, snapshotNeed } from '../config/snapshot-mode.ts'
import { connectorErrors } from '../errors.ts'
import type { MissingPosition } from '../flavor/flavor.ts'
import type { StreamPosition } from '../offset/stream-position.ts'

/** What a task starts with. */
export type TaskBeginning =
  | { readonly tag: 'snapshot'; readonly readsRows: boolean }
  /** An unfinished snapshot continues. */
  | { readonly tag: 'resume'; readonly stored: StreamPosition }
  | { readonly tag: 'recovery'; readonly stored: StreamPosition }
  | { readonly tag: 'stream'; readonly stored: StreamPosition }
  /** The stream, from the oldest change that the server has. */
  | { readonly tag: 'beginning' }

export interface SnapshotDecision {
  readonly mode: SnapshotMode
  readonly stored: StreamPosition | null
  readonly connectorName: string
  /** What the server lacks of the binlog after a stored position. */
  readonly findMissing: (stored: StreamPosition) => Promise<MissingPosition | null>
  /** Why an unfinished snapshot cannot continue; null: it can. */
  readonly whyNotResumed: (stored: StreamPosition) => string | null
  readonly logger: Logger
}

/**
 * Decides by `snapshot.mode` and the stored offset what a task starts with, and logs the reason.
 *
 * @throws RECOVERY_WITHOUT_OFFSET, SNAPSHOT_UNFINISHED; what `findMissing` throws
 */
export async function decideBeginning(decision: SnapshotDecision): Promise<TaskBeginning> {
  const { mode, stored, connectorName, logger } = decision
  const need = snapshotNeed(mode, stored)
  if (need === 'history') return { tag: 'recovery', stored: recoverable(stored, mode, connectorName) }
  if (need === 'beginning') {
    if (stored !== null) throw connectorErrors.SNAPSHOT_UNFINISHED({ mode: mode.name, connector: connectorName })
    logger.info(`No previous offset has been found, and snapshot.mode=${mode.name} takes no snapshot: ${BEGINNING}`)
    return { tag: 'beginning' }
  }
  if (need === 'none' && stored !== null && !(await isLost(decision, stored))) return { tag: 'stream', stored }
  const readsRows = need !== 'structure'
  if (readsRows && stored?.isSnapshotUnfinished === true) {
    const reason = await whyAgain(decision, stored)
    if (reason === null) return { tag: 'resume', stored }
    logger.info(`The unfinished snapshot does not continue where it was: ${reason}`)
  }
  const what = readsRows ? 'both schema and data' : 'only the schema'
  logger.info(`${reasonOf(mode, stored)}: ${what} will be snapshotted`)
  return { tag: 'snapshot', readsRows }
}

async function whyAgain(
  { whyNotResumed, findMissing }: SnapshotDecision,
  stored: StreamPosition,
): Promise<string | null> {
  const reason = whyNotResumed(stored)
  if (reason !== null) return reason
  const missing = await findMissing(stored)
  return missing === null ? null : lostText(stored, missing)
}

/** Why the changes after the position of a snapshot cannot be streamed. */
export function lostText({ file, position }: StreamPosition, { needed, available }: MissingPosition): string {
  return `the changes after its position ${file}:${position} are no longer on the server, which needs ${needed}, but ${available}`
}

const BEGINNING =
  'the stream begins with the oldest binlog file of the server. Rows that are older than that yield no events'

function recoverable(stored: StreamPosition | null, mode: SnapshotMode, connector: string): StreamPosition {
  if (stored === null) {
    throw connectorErrors.RECOVERY_WITHOUT_OFFSET({ reason: 'the connector has no stored offset', connector })
  }
  if (stored.isSnapshotUnfinished) throw connectorErrors.SNAPSHOT_UNFINISHED({ mode: mode.name, connector })
  return stored
}

/** The stream waits for a server that may still get what it lacks: that position is not lost. */
async function isLost({ mode, findMissing, logger }: SnapshotDecision, stored: StreamPosition): Promise<boolean> {
  // An unfinished copy of a mode that takes a snapshot at each start.
  const isReplaced = mode.replacesLostPosition || (stored.isInitialCopy && mode.afterwards === 'rows')
  if (!isReplaced) return false
  const missing = await findMissing(stored)
  if (missing === null || missing.lacking !== null) return false
  logger.warn(
    `The changes after the stored position ${stored.file}:${stored.position} are no longer on the server: the connector needs ${missing.needed}, but ${missing.available}. A new snapshot replaces them; it has no events for rows that were deleted meanwhile`,
  )
  return true
}

function reasonOf(mode: SnapshotMode, stored: StreamPosition | null): string {
  if (stored === null) return 'No previous offset has been found'
  if (stored.isSnapshotUnfinished || stored.isInitialCopy) return 'The previous snapshot did not complete'
  return `A previous offset has been found, and snapshot.mode=${mode.name} asks for a snapshot`
}
