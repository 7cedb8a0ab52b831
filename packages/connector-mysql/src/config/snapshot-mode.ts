/** What a start reads of the existing tables. */
export type SnapshotNeed =
  /** Structure and rows, then the stream from the position at which they were read. */
  | 'rows'
  /** The structure only, then the stream from the position at which it was read. */
  | 'structure'
  /** The current structure, to rebuild the history, then the stream from the stored offset. */
  | 'history'
  /** The stream from the beginning of the oldest binlog file: definitions are read from the binlog, too. */
  | 'beginning'
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
  /** Whether a schema history that is missing is rebuilt although this mode begins without one. */
  readonly rebuildsHistory: boolean
}

const USUAL = { streams: true, replacesLostPosition: false, rebuildsHistory: false } as const

const MODES: readonly SnapshotMode[] = [
  { ...USUAL, name: 'initial', atFirst: 'rows', afterwards: 'none' },
  { ...USUAL, name: 'always', atFirst: 'rows', afterwards: 'rows' },
  { ...USUAL, name: 'initial_only', atFirst: 'rows', afterwards: 'none', streams: false },
  { ...USUAL, name: 'no_data', atFirst: 'structure', afterwards: 'none' },
  { ...USUAL, name: 'recovery', atFirst: 'history', afterwards: 'history' },
  { ...USUAL, name: 'when_needed', atFirst: 'rows', afterwards: 'none', replacesLostPosition: true },
  { ...USUAL, name: 'never', atFirst: 'beginning', afterwards: 'none' },
]

const CONFIGURED = 'configuration_based'

/** Values of `snapshot.mode` that are supported. */
export const snapshotModeNames: readonly string[] = [...MODES.map(({ name }) => name), CONFIGURED]

/** The properties `snapshot.mode.configuration.based.…`, which the mode `configuration_based` consists of. */
export interface ConfiguredSnapshot {
  readonly data: boolean
  readonly schema: boolean
  readonly startsStream: boolean
  readonly onSchemaError: boolean
  readonly onDataError: boolean
}

/** The mode of that name, which is one of `snapshotModeNames`. */
export function snapshotModeOf(name: string, configured: ConfiguredSnapshot = NOTHING): SnapshotMode {
  if (name === CONFIGURED) return configuredMode(configured)
  const mode = MODES.find((each) => each.name === name)
  if (mode === undefined) throw new RangeError(`'${name}' is not a snapshot mode of this version`)
  return mode
}

const NOTHING: ConfiguredSnapshot = {
  data: false,
  schema: false,
  startsStream: false,
  onSchemaError: false,
  onDataError: false,
}

/**
 * Rows are never read without their structure. With the structure alone, the reference streams from where it read that
 * at each start, and loses the changes since it stopped; here the stream continues from the stored offset.
 */
function configuredMode({ data, schema, startsStream, onSchemaError, onDataError }: ConfiguredSnapshot): SnapshotMode {
  const common = {
    name: CONFIGURED,
    streams: startsStream,
    replacesLostPosition: onDataError,
    rebuildsHistory: onSchemaError,
  }
  if (data) return { ...common, atFirst: 'rows', afterwards: 'rows' }
  if (schema) return { ...common, atFirst: 'structure', afterwards: 'history' }
  return { ...common, atFirst: 'beginning', afterwards: 'none' }
}

/** What `snapshotNeed` looks at of a stored offset. */
export interface StoredSnapshot {
  readonly isSnapshotUnfinished: boolean
  /** The stream has begun, and tables of the initial snapshot are copied beside it. Absent: no. */
  readonly isInitialCopy?: boolean
}

/** What a start has to do. */
export function snapshotNeed(mode: SnapshotMode, stored: StoredSnapshot | null): SnapshotNeed {
  if (stored === null || stored.isSnapshotUnfinished) return mode.atFirst
  // It continues with the stream, and only with it.
  if (stored.isInitialCopy === true && mode.atFirst === 'rows') return mode.streams ? 'none' : 'rows'
  return mode.afterwards
}

/** True when the start reads tables, and locks them for that. */
export function takesSnapshot(mode: SnapshotMode, stored: StoredSnapshot | null): boolean {
  const need = snapshotNeed(mode, stored)
  return need === 'rows' || need === 'structure'
}
