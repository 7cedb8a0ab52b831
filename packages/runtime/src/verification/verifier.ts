import type { ConfigMap } from '@tributary/connect-api'
import type { Kafka } from '@tributary/kafka'
import type { VerifiedTable } from '@tributary/rest-api'
import type { Clock, Logger } from '@tributary/support'
import type { ConverterSpec } from '../config/worker-config.ts'

/** How far a connector is. */
export interface ConnectorProgress {
  /** Its stored offset, right after a commit was requested; null without one. */
  readonly offset: Readonly<Record<string, unknown>> | null
  /** The state of its task. */
  readonly state: string
}

/** What a comparison of tables and topics needs. */
export interface VerifierInput {
  readonly connector: string
  /** References are resolved. */
  readonly config: ConfigMap
  /** With the full names of their classes. */
  readonly converters: { readonly key: ConverterSpec; readonly value: ConverterSpec }
  readonly kafka: Kafka
  /** `database.table`; empty: all. */
  readonly tables: readonly string[]
  /** Null: no limit. */
  readonly rowsPerSecond: number | null
  readonly readProgress: (signal: AbortSignal) => Promise<ConnectorProgress>
  readonly onProgress: (tables: readonly VerifiedTable[]) => void
  readonly clock: Clock
  readonly logger: Logger
}

/** Compares the tables of a connector with their topics. The runtime knows no connector: the cli passes it in. */
export type Verifier = (input: VerifierInput, signal: AbortSignal) => Promise<void>

/** Loads its code, which only a comparison needs. */
export type LoadVerifier = () => Promise<Verifier>
