/** How a rehearsal ended. */
export type RehearsalState =
  /** All records are equal, but for differences that have a name. */
  | 'AS_BEFORE'
  | 'DIFFERENT'
  /** Nothing differs, but not everything could be compared, or there was nothing. */
  | 'UNPROVEN'
  | 'CANCELLED'

export type DifferenceKind =
  /** A record that only the rehearsal made. */
  | 'missing'
  /** A record that only the topic has. */
  | 'extra'
  | 'order'
  /** A record that the connector has sent already. */
  | 'repeated'
  | 'partition'
  | 'key'
  | 'value'
  | 'header'
  | 'schema'

/** One place of a record where both sides differ. */
export interface Difference {
  readonly kind: DifferenceKind
  readonly topic: string
  /** The field, such as `value.source.version`; empty for whole records. */
  readonly path: string
  /** What the topic has, as JSON; null: nothing. */
  readonly theirs: string | null
  /** What the rehearsal made, as JSON; null: nothing. */
  readonly ours: string | null
}

/** Differences of one kind. */
export interface DifferenceGroup {
  readonly kind: DifferenceKind
  readonly path: string
  /** The topics with the difference, at most ten. */
  readonly topics: readonly string[]
  readonly count: number
  /** Why Tributary differs on purpose; null: nobody has said so. */
  readonly reason: string | null
  readonly example: DifferenceExample
}

export interface DifferenceExample extends Difference {
  /** The key of the record, as JSON. */
  readonly key: string
  /** Where the record of the connector is; null: only the rehearsal made it. */
  readonly partition: number | null
  readonly offset: string | null
}

export interface RecordCounts {
  /** Made by the rehearsal. */
  readonly rehearsed: number
  /** Pairs that were compared. */
  readonly compared: number
  /** Pairs without any difference but the named ones. */
  readonly equal: number
}

/** A command to be run in a shell, with what it does. */
export interface Step {
  readonly text: string
  readonly command: string
}

/** How a connector is moved after its rehearsal. Without commands, the notes say what to do instead. */
export interface PlannedMove {
  /** Each step only after the one before it has succeeded. */
  readonly move: readonly Step[]
  readonly back: readonly Step[]
  readonly move_notes: readonly string[]
}

/** The result of a rehearsal. */
export interface Rehearsal {
  readonly connector: string
  readonly state: RehearsalState
  /** Seconds that the connector was read for. */
  readonly seconds: number
  /** The offset that it began with. */
  readonly from: Readonly<Record<string, unknown>>
  readonly records: RecordCounts
  readonly topics: readonly { readonly topic: string; readonly compared: number }[]
  readonly differences: readonly DifferenceGroup[]
  /** What was not compared, in sentences. */
  readonly not_compared: readonly string[]
  /** Properties that the rehearsal changed for itself, with the reason. */
  readonly changed: readonly { readonly property: string; readonly reason: string }[]
  /** Warnings of the connector, each once. */
  readonly warnings: readonly string[]
  readonly move: readonly Step[]
  readonly back: readonly Step[]
}

/** The document of `tributary rehearse --json`. */
export type PlannedRehearsal = Rehearsal & PlannedMove
