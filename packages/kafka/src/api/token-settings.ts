import type { TlsOptions } from './tls-options.ts'

/** Where the tokens of a login with OAUTHBEARER come from. */
export type TokenSettings = TokenEndpoint | TokenFile | UnsecuredTokens | AwsIamTokens

/** The token endpoint of an identity provider (KIP-768, KIP-1139). */
export interface TokenEndpoint {
  readonly tag: 'endpoint'
  /** http or https. */
  readonly url: URL
  /** For https. */
  readonly tls: TlsOptions
  readonly grant: Grant
  readonly scope: string | null
  /** The longest that one request takes. */
  readonly timeoutMs: number
  /** The first pause before a repetition, and the longest that all take. */
  readonly retryBackoffMs: number
  readonly retryBackoffMaxMs: number
}

/** How the client proves its identity to the endpoint. */
export type Grant =
  | {
      readonly tag: 'clientSecret'
      readonly clientId: string
      readonly clientSecret: string
      /** Encodes id, secret and scope as in a URL before they are sent (RFC 6749, 2.3.1). */
      readonly isUrlEncoded: boolean
    }
  | { readonly tag: 'clientAssertion'; readonly clientId: string | null; readonly assertion: Assertion }
  | { readonly tag: 'jwtBearer'; readonly assertion: Assertion }

/** A token by which the client identifies itself to the endpoint. */
export type Assertion =
  | { readonly tag: 'file'; readonly path: string }
  | {
      readonly tag: 'signed'
      readonly algorithm: 'RS256' | 'ES256'
      readonly privateKeyPath: string
      readonly passphrase: string | null
      /** A JSON document with members of header and payload. */
      readonly templatePath: string | null
      readonly claims: Readonly<Record<string, string>>
      readonly expiresInSeconds: number
      readonly validSinceSeconds: number
      readonly hasId: boolean
    }

/** A file that contains the token, which another program renews. */
export interface TokenFile {
  readonly tag: 'file'
  readonly path: string
}

/** Tokens without a signature, for tests: only a broker without security accepts them. */
export interface UnsecuredTokens {
  readonly tag: 'unsecured'
  readonly lifetimeSeconds: number
  /** The claim that names the user. */
  readonly principalClaim: string
  readonly claims: Readonly<Record<string, unknown>>
}

/** Tokens that AWS's own library signs for Amazon MSK. */
export interface AwsIamTokens {
  readonly tag: 'awsIam'
  readonly region: string
  readonly credentials: AwsCredentials
}

export type AwsCredentials =
  | { readonly tag: 'default' }
  | { readonly tag: 'profile'; readonly name: string }
  | {
      readonly tag: 'role'
      readonly arn: string
      readonly sessionName: string
      readonly externalId: string | null
      /** The region of the token service. */
      readonly stsRegion: string
      /** The credentials that assume the role. Null: the default ones. */
      readonly master: {
        readonly accessKeyId: string
        readonly secretAccessKey: string
        readonly sessionToken: string | null
      } | null
    }

/** When a token is renewed, as in Java (sasl.login.refresh.*). */
export interface RefreshWindow {
  /** The part of the lifetime after which it is renewed, and the random part that is added to it. */
  readonly factor: number
  readonly jitter: number
  /** Not earlier after its issue. */
  readonly minPeriodSeconds: number
  /** Not later before its end. */
  readonly bufferSeconds: number
}
