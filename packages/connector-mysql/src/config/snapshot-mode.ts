/** What a start reads of the existing tables. */
export type SnapshotNeed =
  /** Structure and rows, then the stream from the position at which they were read. */
  | 'rows'
  /** The structure only, then the stream from the position at which it was read. */
  | 'structure'
  /** The current structure, to rebuild the history, then the stream from the stored offset. */
  | 'history'
  /** The stream from the stored offset. */
  | 'none'

/** A value of `snapshot.mode`. */
export interface SnapshotMode {
  readonly name: string
  /** Without an offset, or after an unfinished snapshot. */
  readonly atFirst: SnapshotNeed
  /** With the offset of a finished snapshot, or of streaming. */
  readonly afterwards: SnapshotNeed
  /** Whether the changes after the snapshot are read too. */
  readonly streams: boolean
  /** Whether a position that the server has purged leads to a new snapshot instead of an error. */
  readonly replacesLostPosition: boolean
}

const MODES: readonly SnapshotMode[] = [
  { name: 'initial', atFirst: 'rows', afterwards: 'none', streams: true, replacesLostPosition: false },
  { name: 'always', atFirst: 'rows', afterwards: 'rows', streams: true, replacesLostPosition: false },
  { name: 'initial_only', atFirst: 'rows', afterwards: 'none', streams: false, replacesLostPosition: false },
  { name: 'no_data', atFirst: 'structure', afterwards: 'none', streams: true, replacesLostPosition: false },
  { name: 'recovery', atFirst: 'history', afterwards: 'history', streams: true, replacesLostPosition: false },
  { name: 'when_needed', atFirst: 'rows', afterwards: 'none', streams: true, replacesLostPosition: true },
]

/** Names in releases of Debezium before 3.3. */
const OLD_NAMES: Readonly<Record<string, string>> = { schema_only: 'no_data', schema_only_recovery: 'recovery' }

/** Values of `snapshot.mode` that are supported, the old names last. */
export const snapshotModeNames: readonly string[] = [...MODES.map(({ name }) => name), ...Object.keys(OLD_NAMES)]

/** The mode of that name, which is one of `snapshotModeNames`. */
export function snapshotModeOf(name: string): SnapshotMode {
  const known = OLD_NAMES[name] ?? name
  const mode = MODES.find((each) => each.name === known)
  if (mode === undefined) throw new RangeError(`'${name}' is not a snapshot mode of this version`)
  return mode
}

/** What a start has to do. */
export function snapshotNeed(
  mode: SnapshotMode,
  stored: { readonly isSnapshotUnfinished: boolean } | null,
): SnapshotNeed {
  return stored === null || stored.isSnapshotUnfinished ? mode.atFirst : mode.afterwards
}

/** True when the start reads tables, and locks them for that. */
export function takesSnapshot(mode: SnapshotMode, stored: { readonly isSnapshotUnfinished: boolean } | null): boolean {
  const need = snapshotNeed(mode, stored)
  return need === 'rows' || need === 'structure'
}
