import type { ConfigMap, SourceTables } from '@tributary/connect-api'
import type { ConfigWarning } from '@tributary/rest-api'
import type { Plugins } from '../plugins/plugins.ts'
import type { ConfigInput } from './checks/check.ts'

/** What the checks of every configuration need. */
export interface CheckContext {
  readonly plugins: Plugins
  /** As given, with references. */
  readonly workerProperties: ConfigMap
  /** Called before each check that asks the outside world: what it is about to do, as in “while asking …”. */
  readonly onStep?: (doing: string) => void
}

/** A configuration to check. Plain data: it is copied into a thread. */
export interface CheckRequest {
  /** As given, with references. */
  readonly config: ConfigInput
  /** Whether the connector continues from stored offsets. */
  readonly hasStoredOffsets: boolean
}

/** A property of a configuration that was checked. Plain data: it is copied out of a thread. */
export interface CheckedValue {
  readonly name: string
  /** For logs and answers: without passwords, and with references instead of their values. */
  readonly value: string | null
  readonly errors: readonly string[]
}

/**
 * Runs the checks of configurations that ask the outside world: config providers, schema registries, the connector and
 * its database. Their answers may be of any size and may never end.
 */
export interface ConfigChecks {
  /**
   * Runs all checks of a configuration whose class is known.
   *
   * @throws HerderError when a check itself fails, or when the signal fires
   */
  check(request: CheckRequest, signal: AbortSignal): Promise<readonly CheckedValue[]>
  /** The connector's own warnings about a valid configuration. @throws as `check` */
  warnings(request: CheckRequest, signal: AbortSignal): Promise<readonly ConfigWarning[]>
  /** The tables that the server of a configuration lists. @throws as `check` */
  tables(request: CheckRequest, signal: AbortSignal): Promise<SourceTables>
  /** Ends checks that have not ended. */
  stop(): Promise<void>
}
