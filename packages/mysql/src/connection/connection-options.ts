import type { Logger } from '@tributary/support'
import type { TimeLimit } from './answered-within.ts'

/**
 * TLS mode in MySQL's spelling; the connector maps the spellings of the MariaDB connector to it. `preferred` and
 * `required` accept any certificate, as Debezium does without a trust store.
 */
export type TlsMode = 'disabled' | 'preferred' | 'required' | 'verify_ca' | 'verify_identity'

export interface MySqlTlsOptions {
  readonly mode: TlsMode
  /** Trusted certificates as PEM text; default: those of the system. */
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
  /**
   * Whether a password may be sent over an unencrypted connection, encrypted with a public key that the server itself
   * presents: whoever intercepts the connection can present a key of their own. Default: no, as in Connector/J.
   */
  readonly allowsPublicKeyRetrieval?: boolean
  readonly logger: Logger
  /** Statements that run on the connection after login, in this order. */
  readonly initialStatements?: readonly string[]
  /** How long a statement without a limit of its own waits for its answer. Default: until the connection ends. */
  readonly answerLimit?: TimeLimit
  /** Lets the server accept several statements in one text, which `queryAll` needs. Default: it refuses them. */
  readonly takesSeveralStatements?: boolean
}
