import type { JoinedGroup } from '@tributary/kafka'
import type { CompletedRound, GroupRounds } from './group-member.ts'

/** The rounds of the guard group, which only keeps out workers of other groups and distributes nothing. */
export class GuardRounds implements GroupRounds {
  readonly #onRound: (round: CompletedRound) => void

  /** The leader of the guard group refuses nobody. */
  readonly mayBeRefused = false

  constructor(onRound: (round: CompletedRound) => void) {
    this.#onRound = onRound
  }

  prepare(): Promise<void> {
    return Promise.resolve()
  }

  assign({ members }: JoinedGroup): Promise<readonly { readonly memberId: string; readonly assignment: Buffer }[]> {
    return Promise.resolve(members.map(({ memberId }) => ({ memberId, assignment: Buffer.alloc(0) })))
  }

  take(round: CompletedRound): Promise<'done'> {
    this.#onRound(round)
    return Promise.resolve('done')
  }
}
