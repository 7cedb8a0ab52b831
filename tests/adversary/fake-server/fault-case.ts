import type { FakeServerOptions, Flavor } from '@tributary/testkit'

/**
 * A fault, the entry point of the connector that meets it, and what must follow. `check`: what a registration and
 * `tributary check` run; `snapshot` and `stream`: a task without and with a stored offset.
 */
export interface FaultCase {
  /** A word for the report, such as “login, cut”. */
  readonly kind: string
  readonly name: string
  readonly flavor: Flavor
  readonly entry: 'check' | 'snapshot' | 'stream'
  readonly server: Partial<FakeServerOptions>
  readonly config?: Readonly<Record<string, string>>
  /** The fault is a silence: the clock runs faster, so that time limits expire soon. */
  readonly isSilent?: boolean
  /** Code and text of what the user reads: the finding, the failure or the logged reason. Default: any clear one. */
  readonly reads?: RegExp
  /**
   * `failed`, `recovered`: only this. `unharmed`: either, and what recovers needs no warning. `healthy`: nothing is
   * wrong, and nothing may be reported.
   */
  readonly ends?: 'failed' | 'recovered' | 'unharmed' | 'healthy'
}
