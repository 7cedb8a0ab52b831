import type { SignatureRefusal } from '../session-key/request-signature.ts'

/**
 * Why the herder refuses a request or cannot complete it. No problem has an HTTP status here: rest/rest-errors.ts maps
 * each one to a status and to Connect's text.
 */
export type HerderProblem =
  /** Connect words this differently for each kind of request. */
  | { readonly tag: 'unknown connector'; readonly connector: string; readonly request: ConnectorRequest }
  | { readonly tag: 'no connector status'; readonly connector: string; readonly request: 'read' | 'restart' }
  | { readonly tag: 'unknown task'; readonly connector: string; readonly task: number }
  | { readonly tag: 'no task status'; readonly connector: string; readonly task: number }
  | { readonly tag: 'unknown plugin'; readonly className: string }
  | { readonly tag: 'unknown logger'; readonly logger: string }
  | { readonly tag: 'connector already exists'; readonly connector: string }
  | { readonly tag: 'connector not stopped'; readonly connector: string }
  | { readonly tag: 'invalid offset'; readonly reason: string }
  /** `shownConfig`: the configuration as Java prints a map, without passwords. */
  | { readonly tag: 'no connector class'; readonly shownConfig: string }
  /** `text` names the class and those that exist, in Connect's words. */
  | { readonly tag: 'unknown connector class'; readonly text: string }
  | { readonly tag: 'invalid configuration'; readonly errors: readonly string[] }
  /** A check failed by itself, so that the configuration is neither valid nor invalid. */
  | { readonly tag: 'validation failed'; readonly reason: string }
  | { readonly tag: 'topic tracking disabled' }
  | { readonly tag: 'topic reset disabled' }
  /** An internal topic could not be written or read. */
  | { readonly tag: 'storage failed'; readonly reason: string }
  | { readonly tag: 'worker stopping' }
  | { readonly tag: 'verification running'; readonly connector: string; readonly id: string }
  | { readonly tag: 'too many verifications'; readonly running: number }
  /** The signal can never be run. `reason` is a sentence. */
  | { readonly tag: 'invalid signal'; readonly reason: string }
  /** The signal cannot be run now: nothing has happened. `reason` is a sentence. */
  | { readonly tag: 'signal refused'; readonly reason: string }
  /** Nobody knows whether its effect will be stored. */
  | { readonly tag: 'signal not stored'; readonly id: string }
  | { readonly tag: 'unknown verification'; readonly connector: string; readonly id: string }
  /** The leader of the group can execute the request; null: none is known. Nothing has been changed. */
  | { readonly tag: 'not leader'; readonly leaderUrl: string | null }
  /** The worker that runs the connector or task can execute it; null: nobody runs it. Nothing has been changed. */
  | { readonly tag: 'not owner'; readonly ownerUrl: string | null }
  /** A rebalance takes longer than a request waits for it. Nothing has been changed. */
  | { readonly tag: 'rebalancing' }
  /** The configurations of the group are about to change the assignment. Nothing has been changed. */
  | { readonly tag: 'stale configuration' }
  | { readonly tag: 'fencing not supported' }
  | SignatureRefusal

export type ConnectorRequest = 'read' | 'set target state' | 'restart'

/** A request that the herder refused or could not complete. */
export class HerderError extends Error {
  override readonly name: string = 'HerderError'
  readonly problem: HerderProblem

  constructor(problem: HerderProblem, cause?: unknown) {
    const { tag, ...details } = problem
    super(`${tag}: ${Object.values(details).flat().join(', ')}`, cause === undefined ? undefined : { cause })
    this.problem = problem
  }
}
