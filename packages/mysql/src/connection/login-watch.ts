import type { Connection } from 'mysql2'
import { isOfServer, quotedBytes, type DriverError } from '../error-texts.ts'
import { mysqlErrors } from '../errors.ts'
import { internalsOf } from './driver-internals.ts'
import { readFirstPacket } from './greeting.ts'

export interface LoginWatchOptions {
  readonly address: string
  readonly user: string
  readonly connectTimeoutMs: number
}

/**
 * Watches a login, to report what really happened: the driver has one error for a host that does not exist, for another
 * program at the port, and for a server that stops in the middle. Passes the first packet on to the driver only when it
 * is a server's.
 */
export class LoginWatch {
  /** Called once, when the program at the address is no MySQL server. */
  onForeign: (error: Error) => void = () => undefined
  readonly #options: LoginWatchOptions
  #hasConnected = false
  #hasGreeted = false
  #isForeign = false
  /** What arrived of the first packet. */
  #first = Buffer.alloc(0)
  /** The plug-in by which the server wants the user to log in. */
  #plugin: string | null = null
  /** The last packet had other data of the plug-in than a number of one byte: the public key. */
  #hasSentKey = false

  private constructor(options: LoginWatchOptions) {
    this.#options = options
  }

  static watch(connection: Connection, options: LoginWatchOptions): LoginWatch {
    const watch = new LoginWatch(options)
    const internals = internalsOf(connection)
    internals.stream.once('connect', () => {
      watch.#hasConnected = true
    })
    const { packetParser: inner } = internals
    internals.packetParser = {
      onPacket: (packet) => inner.onPacket(packet),
      execute: (data) => {
        const bytes = watch.#hasGreeted ? data : watch.#greetingIn(data)
        if (bytes !== null) inner.execute(bytes)
      },
    }
    return watch
  }

  /** Called with the payload of each packet of the login, of which it refuses none. */
  packet(payload: Buffer): null {
    this.#hasSentKey = payload[0] === MORE_DATA && payload.length !== 2
    if (payload[0] !== AUTH_SWITCH) return null
    const end = payload.indexOf(0, 1)
    this.#plugin = payload.length === 1 ? OLD_PASSWORDS : payload.latin1Slice(1, end < 0 ? payload.length : end)
    return null
  }

  /** The bytes for the driver; null while the first packet is incomplete, and when it is not a server's. */
  #greetingIn(data: Buffer): Buffer | null {
    if (this.#isForeign) return null
    this.#first = Buffer.concat([this.#first, data])
    const found = readFirstPacket(this.#first)
    switch (found.tag) {
      case 'incomplete':
        return null
      case 'greeting':
        this.#hasGreeted = true
        return found.bytes
      case 'foreign':
        this.#isForeign = true
        this.onForeign(mysqlErrors.MYSQL_NOT_A_SERVER({ address: this.#options.address, reason: found.reason }))
        return null
    }
  }

  /** Returns the error that describes what the driver’s one means; the error itself when it is clear. */
  explain(error: DriverError): Error {
    const { address, user, connectTimeoutMs } = this.#options
    if (isOfServer(error)) return error
    if (error.code === 'AUTH_SWITCH_PLUGIN_ERROR' || error.code === 'MYSQL_CLEAR_PASSWORD_NOT_ENABLED') {
      const plugin = this.#plugin
      if (plugin !== null && !SUPPORTED.has(plugin)) {
        return mysqlErrors.MYSQL_LOGIN_UNSUPPORTED({ address, user, plugin: quotedBytes(Buffer.from(plugin)) })
      }
    }
    if (this.#hasSentKey && /^ERR_|^AUTH_/.test(error.code ?? '')) {
      const reason = 'the public key that it sent cannot be read'
      return mysqlErrors.MYSQL_PROTOCOL({ address, doing: 'logging in', reason })
    }
    if (!this.#hasConnected || !ENDS.has(error.code ?? '')) return error
    const seconds = `${connectTimeoutMs / 1000} s`
    const isLate = error.code === 'ETIMEDOUT'
    const end = isLate ? `nothing more within ${seconds}` : 'closed the connection'
    return mysqlErrors.MYSQL_UNREACHABLE({ address, reason: this.#how(isLate, seconds, end) })
  }

  #how(isLate: boolean, seconds: string, end: string): string {
    if (this.#hasGreeted) {
      return isLate
        ? `the server accepted the connection, but did not complete the login within ${seconds}`
        : 'the server closed the connection during the login'
    }
    if (this.#first.length > 0) return `it sent ${quotedBytes(this.#first)}, which is no complete greeting, and ${end}`
    return isLate
      ? `the program there accepted the connection, but sent nothing within ${seconds}, and a MySQL server sends first`
      : 'the program there accepted the connection and closed it without a greeting'
  }
}

const AUTH_SWITCH = 0xfe
const MORE_DATA = 0x01
/** The request of servers before MySQL 4.1 has no name. */
const OLD_PASSWORDS = 'mysql_old_password'
const SUPPORTED: ReadonlySet<string> = new Set(['mysql_native_password', 'caching_sha2_password', 'sha256_password'])
const ENDS: ReadonlySet<string> = new Set(['ETIMEDOUT', 'PROTOCOL_CONNECTION_LOST', 'ECONNRESET', 'EPIPE'])
