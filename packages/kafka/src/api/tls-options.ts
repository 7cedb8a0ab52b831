export type TlsVersion = 'TLSv1.2' | 'TLSv1.3'

export interface TlsOptions {
  /** Trusted certificates as PEM text. Default: those of Node and of the system. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly passphrase?: string
  /** False: does not compare the host name with the certificate (ssl.endpoint.identification.algorithm empty). */
  readonly checkHostName?: boolean
  /** Default: TLS 1.2 and 1.3. */
  readonly minVersion?: TlsVersion
  readonly maxVersion?: TlsVersion
}
