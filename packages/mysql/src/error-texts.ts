import { eachAddressText, tlsFailureText, withoutControls } from '@tributary/support'

/** An error of the driver, the operating system or TLS. Its members distinguish them. */
export interface DriverError extends Error {
  readonly code?: string | undefined
  readonly errno?: number | undefined
  readonly fatal?: boolean | undefined
  readonly sqlState?: string | undefined
  /** Of the operating system's errors: the call that failed. */
  readonly syscall?: string | undefined
}

/** The code of the driver's error when a server presents a public key that must not be used. */
export const PUBLIC_KEY_RETRIEVAL = 'PUBLIC_KEY_RETRIEVAL'

/** An error whose message is ours and may be printed. */
export class PlainReason extends Error {}

/**
 * The reason of an error for a user: the text of the server or of the operating system, and for any other error one of
 * ours. The driver's own texts are about its options, its state and its code, which a user does not know; so are those of
 * Node about bytes that cannot be read.
 */
export function reasonOf(error: DriverError): string {
  if (isOfServer(error)) return shownText(withoutFullStop(error.message || `error ${error.errno}`))
  const known = REASONS.get(error.code ?? '')
  if (known !== undefined) return known
  if (isOfTls(error)) return shownText(tlsFailureText(error))
  if (isOfSystem(error)) return shownText(eachAddressText(error, ({ message }) => message))
  return error instanceof PlainReason || error.code === PUBLIC_KEY_RETRIEVAL ? error.message : UNREADABLE
}

/**
 * The error as the cause of a coded one: its code and number, and the text of `reasonOf`. Logs print the texts of
 * causes.
 */
export function causeOf(error: DriverError): Error {
  const { code, errno, fatal, sqlState } = error
  return Object.assign(new Error(reasonOf(error)), { code, errno, fatal, sqlState })
}

/** True for an error packet of the server; numbers of the operating system are negative. */
export function isOfServer({ errno, sqlState }: DriverError): boolean {
  return sqlState !== undefined || (errno !== undefined && errno > 0)
}

export function isOfTls({ code = '' }: DriverError): boolean {
  return /^HANDSHAKE_(SSL|NO_SSL)|^ERR_(TLS|SSL|OSSL)|CERT|SELF_SIGNED|UNABLE_TO_|EPROTO/.test(code)
}

function isOfSystem({ code = '', syscall }: DriverError): boolean {
  return syscall !== undefined || /^E(?!RR_)[A-Z_]+$/.test(code)
}

/** A RangeError of one of our parsers as it is; of Node, which throws one for a read past the end, with our text. */
export function clearRangeError(error: RangeError): RangeError {
  return 'code' in error ? new RangeError('it ends before its fields do') : error
}

/** A text of the server in one line, in which nothing controls a terminal, limited to what somebody reads. */
export function shownText(text: string): string {
  return withoutControls(text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text)
}

/** Bytes of an unknown program in quotes: printable ASCII as it is, others as escapes. */
export function quotedBytes(bytes: Buffer): string {
  const shown = Array.from(bytes.subarray(0, BYTES_MAX), shownByte).join('')
  return `"${shown}${bytes.length > BYTES_MAX ? '…' : ''}"`
}

function shownByte(byte: number): string {
  const character = String.fromCharCode(byte)
  if (character === '"' || character === '\\') return `\\${character}`
  if (byte >= 0x20 && byte < 0x7f) return character
  return SHORT.get(byte) ?? `\\x${byte.toString(16).padStart(2, '0')}`
}

export function withoutFullStop(text: string): string {
  return text.replace(/\.$/, '')
}

const UNREADABLE = 'it sent bytes that are not what the protocol of MySQL has at this place'

const REASONS: ReadonlyMap<string, string> = new Map([
  ['PROTOCOL_CONNECTION_LOST', 'the server closed the connection'],
  ['HANDSHAKE_NO_SSL_SUPPORT', 'the server does not offer TLS'],
])

const SHORT: ReadonlyMap<number, string> = new Map([
  [0x0a, '\\n'],
  [0x0d, '\\r'],
  [0x09, '\\t'],
])
/** Servers send at most 512 bytes. */
const TEXT_MAX = 600
const BYTES_MAX = 40
