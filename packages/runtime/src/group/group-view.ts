/** What requests need to know of the group. */
export interface GroupView {
  readonly isLeader: boolean
  /** The only member: everything is this worker's. */
  readonly isSole: boolean
  /** The protocol of the present generation signs internal requests. */
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
  /** Resolves when no round runs. */
  settled(signal: AbortSignal): Promise<void>
  /** Resolves when everything that was stored in the config topic before the call has been applied. */
  catchUp(signal: AbortSignal): Promise<void>
}
