import { describeError, doneOr, StoppedError, type Clock, type Logger } from '@tributary/support'
import type { RefreshWindow } from '../api/token-settings.ts'
import type { Token, TokenSource } from '../api/token-source.ts'

export interface CachedTokensOptions {
  readonly name: string
  readonly remedy: string
  /** Obtains a token. */
  readonly fetch: (signal: AbortSignal) => Promise<Token>
  readonly window: RefreshWindow
  readonly clock: Clock
  readonly logger: Logger
  readonly random?: () => number
}

/** Pause after a failed renewal while the old token is still valid, as in Java. */
const RETRY_MS = 10_000

/**
 * Keeps a token until it is time to renew it. It renews when a connection needs a token, not in the background:
 * connections are replaced before their login expires, which is at the latest when the token does.
 *
 * While the renewal fails, connections use the old token until it expires.
 */
export class CachedTokens implements TokenSource {
  readonly #options: CachedTokensOptions
  #held: { readonly token: Token; refreshAtMs: number } | null = null
  #fetching: Fetching | null = null

  constructor(options: CachedTokensOptions) {
    this.#options = options
  }

  get name(): string {
    return this.#options.name
  }

  get remedy(): string {
    return this.#options.remedy
  }

  async token(signal?: AbortSignal): Promise<Token> {
    if (this.#held !== null && this.#options.clock.now() < this.#held.refreshAtMs) return this.#held.token
    const fetching = (this.#fetching ??= this.#start())
    fetching.waiting += 1
    try {
      return await doneOr(fetching.result, signal)
    } finally {
      fetching.waiting -= 1
      if (fetching.waiting === 0) this.#end(fetching)
    }
  }

  forget(token: Token): void {
    if (this.#held?.token === token) this.#held = null
  }

  #start(): Fetching {
    const stop = new AbortController()
    return { stop, result: this.#renew(stop.signal), waiting: 0 }
  }

  /** Stops a request that nobody waits for. */
  #end(fetching: Fetching): void {
    if (this.#fetching === fetching) this.#fetching = null
    fetching.stop.abort()
  }

  async #renew(signal: AbortSignal): Promise<Token> {
    const { fetch, window, clock, logger, random = Math.random, name } = this.#options
    try {
      const token = await fetch(signal)
      this.#held = { token, refreshAtMs: refreshTime(token, window, { nowMs: clock.now(), random: random() }) }
      return token
    } catch (thrown) {
      const held = this.#held
      if (thrown instanceof StoppedError || held === null || clock.now() >= held.token.expiresAtMs) throw thrown
      held.refreshAtMs = Math.min(clock.now() + RETRY_MS, held.token.expiresAtMs)
      const left = Math.round((held.token.expiresAtMs - clock.now()) / 1000)
      logger.warn(
        `The token of ${name} cannot be renewed; the old one is valid for ${left} s: ${describeError(thrown)}`,
      )
      return held.token
    }
  }
}

interface Fetching {
  readonly stop: AbortController
  readonly result: Promise<Token>
  waiting: number
}

/** When a token that was obtained now is renewed. */
export function refreshTime(
  { startsAtMs, expiresAtMs }: Token,
  { factor, jitter, minPeriodSeconds, bufferSeconds }: RefreshWindow,
  { nowMs, random }: { readonly nowMs: number; readonly random: number },
): number {
  const part = factor + jitter * random
  const startMs = startsAtMs ?? nowMs
  // The limits do not fit into a short lifetime.
  if (nowMs + 1000 * (minPeriodSeconds + bufferSeconds) > expiresAtMs) return nowMs + (expiresAtMs - nowMs) * part
  const proposed = startMs + (expiresAtMs - startMs) * part
  const latest = expiresAtMs - 1000 * bufferSeconds
  return proposed > latest ? latest : Math.max(proposed, nowMs + 1000 * minPeriodSeconds)
}
