import type { ConfigMap, SourceTables } from '@tributary/connect-api'
import type { ConfigWarning } from '@tributary/rest-api'
import type { CheckedValue, CheckRequest } from '../config-checks.ts'
import type { HerderProblem } from '../herder-error.ts'

/** The message of the main thread to a check thread. The next one follows the result of this one. */
export interface CheckCommand {
  readonly tag: 'check'
  readonly wanted: 'errors' | 'warnings' | 'tables'
  readonly request: CheckRequest
  /** As given, with references, which the thread resolves. */
  readonly workerProperties: ConfigMap
}

/** An error as plain data. Its texts contain no secrets. */
export interface ThreadError {
  /** Null for an error that is not a HerderError. */
  readonly problem: HerderProblem | null
  readonly message: string
  /** Begins with the name and the message. */
  readonly stack: string
}

/** The messages of a check thread. Every one but `step` is the result of the command. */
export type CheckReport =
  /** What the thread is about to do. */
  | { readonly tag: 'step'; readonly doing: string }
  | { readonly tag: 'checked'; readonly values: readonly CheckedValue[] }
  | { readonly tag: 'warned'; readonly warnings: readonly ConfigWarning[] }
  | { readonly tag: 'listed'; readonly tables: SourceTables }
  | { readonly tag: 'failed'; readonly error: ThreadError }

export type CheckResult = Exclude<CheckReport, { readonly tag: 'step' }>
