/** What both servers' GTID sets have in common. Immutable. */
export interface GtidSet {
  readonly isEmpty: boolean
  /** The set with one more GTID, as the server prints it. */
  with(gtid: string): GtidSet
  toString(): string
}
