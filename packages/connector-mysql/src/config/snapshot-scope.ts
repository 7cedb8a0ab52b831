import { createHash } from 'node:crypto'
import type { ConnectorConfig } from './connector-config.ts'

/**
 * What besides the lists of captured tables determines which rows a snapshot reads, as a short text for the offset. Empty:
 * nothing does.
 */
export function snapshotScopeOf({
  properties,
  snapshotOverrides,
}: Pick<ConnectorConfig, 'properties' | 'snapshotOverrides'>): string {
  const lists = LISTS.map((name) => properties[name]?.trim() ?? '')
  if (snapshotOverrides.size === 0 && lists.every((list) => list === '')) return ''
  const statements = [...snapshotOverrides].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([lists, statements]))
    .digest('base64url')
    .slice(0, HASH_CHARACTERS)
}

/** The rows of the signal table are not read. */
const LISTS = ['snapshot.include.collection.list', 'signal.data.collection'] as const
const HASH_CHARACTERS = 16
