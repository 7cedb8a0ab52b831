import type { Logger } from '@tributary/support'

/**
 * How the connection is protected, in MySQL's words (the MariaDB connector's spellings are mapped to them by the
 * connector). `preferred` and `required` accept any certificate, as the reference does without a trust store.
 */
export type TlsMode = 'disabled' | 'preferred' | 'required' | 'verify_ca' | 'verify_identity'

export interface MySqlTlsOptions {
  readonly mode: TlsMode
  /** PEM text of the certificates to trust; the system's when absent. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly passphrase?: string
}

export interface MySqlConnectionOptions {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly tls: MySqlTlsOptions
  readonly connectTimeoutMs: number
  readonly logger: Logger
  /** Statements run on the connection right after login, in order. */
  readonly initialStatements?: readonly string[]
  /** For `queryAll`: the server takes several statements at once, separated by semicolons. Default: it refuses them. */
  readonly takesSeveralStatements?: boolean
}
