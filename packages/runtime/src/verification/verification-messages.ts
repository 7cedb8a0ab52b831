import type { ConfigMap } from '@tributary/connect-api'
import type { VerifiedTable } from '@tributary/rest-api'
import type { ConnectorProgress } from './verifier.ts'

/** What a thread compares: plain data. */
export interface VerificationData {
  readonly connectorName: string
  /** With references, which the thread resolves. */
  readonly config: ConfigMap
  readonly workerProperties: ConfigMap
  readonly tables: readonly string[]
  readonly rowsPerSecond: number | null
}

/** Messages from the main thread. */
export type VerificationCommand =
  | { readonly tag: 'verify'; readonly data: VerificationData }
  /** The answer to `ask progress`. */
  | { readonly tag: 'verify progress'; readonly progress: ConnectorProgress }
  | { readonly tag: 'verify stop' }

/** Messages from the thread. After `verify ended` there are no more. */
export type VerificationReport =
  | { readonly tag: 'verify tables'; readonly tables: readonly VerifiedTable[] }
  | { readonly tag: 'verify ask progress' }
  /** `error` null: completed. */
  | { readonly tag: 'verify ended'; readonly error: string | null }
