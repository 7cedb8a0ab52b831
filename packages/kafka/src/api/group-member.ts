/** Membership in a worker group (protocol type `connect`, KIP-415). Not implemented yet: a worker is alone in its group. */
export interface GroupMember extends AsyncDisposable {
  readonly memberId: string
  readonly generation: number
  readonly isLeader: boolean
  leave(): Promise<void>
}
