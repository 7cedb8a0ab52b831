/** The facts about the group that requests need. */
export interface GroupView {
  readonly isLeader: boolean
  /** The only member: everything is this worker's. */
  readonly isSole: boolean
  /** Whether internal requests are signed in the present generation's protocol. */
  readonly isSigned: boolean
  /** The REST interface of the leader; null while none is known. */
  readonly leaderUrl: string | null
  /** The REST interface of the worker that runs the connector; null when nobody does, or only the leader knows. */
  connectorOwnerUrl(connector: string): string | null
  taskOwnerUrl(connector: string, task: number): string | null
  ownsConnector(connector: string): boolean
  ownsTask(connector: string, task: number): boolean
  /**
   * Whether a member may run a task of the connector, according to the last round; true when that is not known. Only the
   * leader knows it.
   */
  tasksMayRun(connector: string): boolean
  /** Resolves when no round is in progress. */
  settled(signal: AbortSignal): Promise<void>
  /** Resolves when this worker has applied all records that the config topic had before the call. */
  catchUp(signal: AbortSignal): Promise<void>
}
