import { ErrorCode } from '../protocol/error-code.ts'
import type { RequestOf, ResponseOf } from '../protocol/message-types.ts'
import { MECHANISMS, type Logins } from './logins.ts'
import { startExchange, type SaslExchange } from './sasl-exchange.ts'

/**
 * The login of one connection: SaslHandshake names the mechanism, then SaslAuthenticate carries its messages. Until it
 * is done, other requests than these and ApiVersions are not processed.
 */
export class LoginSession {
  readonly #logins: Logins
  #exchange: SaslExchange | null = null
  #state: 'open' | 'done' | 'refused' = 'open'

  constructor(logins: Logins) {
    this.#logins = logins
  }

  get state(): 'open' | 'done' | 'refused' {
    return this.#state
  }

  handshake({ mechanism }: RequestOf<'SaslHandshake'>): ResponseOf<'SaslHandshake'> {
    const chosen = MECHANISMS.find((each) => each === mechanism)
    if (chosen === undefined) return { errorCode: ErrorCode.UNSUPPORTED_SASL_MECHANISM, mechanisms: MECHANISMS }
    this.#exchange = startExchange(chosen, this.#logins)
    return { errorCode: ErrorCode.NONE, mechanisms: MECHANISMS }
  }

  authenticate({ authBytes }: RequestOf<'SaslAuthenticate'>): ResponseOf<'SaslAuthenticate'> {
    if (this.#exchange === null) {
      const errorMessage = 'SaslHandshake has to name a mechanism first.'
      return { errorCode: ErrorCode.ILLEGAL_SASL_STATE, errorMessage, authBytes: Buffer.alloc(0) }
    }
    const step = this.#exchange.step(authBytes)
    if (step.tag === 'refused') {
      this.#state = 'refused'
      const errorCode = ErrorCode.SASL_AUTHENTICATION_FAILED
      return { errorCode, errorMessage: step.reason, authBytes: Buffer.alloc(0) }
    }
    if (step.tag === 'done') this.#state = 'done'
    return { errorCode: ErrorCode.NONE, errorMessage: null, authBytes: step.bytes }
  }
}
