export interface Token {
  readonly value: string
  readonly expiresAtMs: number
  /** The start of its lifetime; null: the time when it was obtained. */
  readonly startsAtMs: number | null
  /** Whom it identifies, for messages. */
  readonly user: string
}

/** Yields tokens for logins. The connections of a cluster share one. */
export interface TokenSource {
  /** Where the tokens come from, for messages. */
  readonly name: string
  /** What to check when a broker rejects a token. */
  readonly remedy: string
  /**
   * A token that is valid now. Rejects with TOKEN_UNAVAILABLE, TOKEN_REFUSED, TOKEN_INVALID, AWS_CREDENTIALS_MISSING or
   * StoppedError.
   */
  token(signal?: AbortSignal): Promise<Token>
  /** A broker has rejected the token: the next call obtains another one. */
  forget(token: Token): void
}
