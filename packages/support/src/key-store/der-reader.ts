import { damaged } from './key-store-error.ts'

const SEQUENCE = 0x30
const SET = 0x31
const OCTET_STRING = 0x04
const CONSTRUCTED_OCTET_STRING = 0x24
const OBJECT_IDENTIFIER = 0x06
const INTEGER = 0x02
const BMP_STRING = 0x1e
/** Tag and length of the end of a value of indefinite length. */
const END = 0x00_00
const INDEFINITE = 0x80
/** No store nests deeper than about twelve. A hostile one could exhaust the stack. */
const DEPTH_MAX = 32

/**
 * One value of ASN.1 in DER, or in BER with indefinite lengths and strings in parts, which some programs write into
 * PKCS#12. Throws KeyStoreError for what is no such value.
 */
export class DerReader {
  /** The identifier of the value: class, form and number. */
  readonly tag: number
  /** The bytes of tag, length and content. */
  readonly whole: Buffer
  readonly #content: Buffer
  readonly #depth: number

  constructor(buffer: Buffer, depth = 0) {
    if (depth > DEPTH_MAX) throw damaged('its ASN.1 is nested too deeply')
    const { start, length, isIndefinite } = header(buffer)
    this.tag = buffer[0] ?? 0
    this.#depth = depth
    const end = isIndefinite ? endOfParts(buffer, start, depth) : start + length
    if (end > buffer.length) throw damaged('its ASN.1 ends within a value')
    this.#content = buffer.subarray(start, end)
    this.whole = buffer.subarray(0, isIndefinite ? end + 2 : end)
  }

  sequence(): readonly DerReader[] {
    return this.#parts(SEQUENCE)
  }

  set(): readonly DerReader[] {
    return this.#parts(SET)
  }

  /** The values in a context-specific tag: `[number]`, constructed. */
  tagged(number: number): readonly DerReader[] {
    return this.#parts(0xa0 + number)
  }

  oid(): string {
    this.#expect(OBJECT_IDENTIFIER)
    const numbers: number[] = []
    let value = 0
    for (const byte of this.#content) {
      value = value * 128 + (byte & 0x7f)
      if ((byte & 0x80) !== 0) continue
      // The first two numbers are in one.
      const first = Math.min(2, Math.floor(value / 40))
      if (numbers.length === 0) numbers.push(first, value - 40 * first)
      else numbers.push(value)
      value = 0
    }
    return numbers.join('.')
  }

  /** A whole number from 0; Infinity beyond 2^48, since all numbers in stores are small. */
  number(): number {
    this.#expect(INTEGER)
    if (this.#content.length === 0 || ((this.#content[0] ?? 0) & 0x80) !== 0) throw damaged('a number is negative')
    return this.#content.length > 6 ? Infinity : this.#content.readUIntBE(0, this.#content.length)
  }

  octets(): Buffer {
    if (this.tag === OCTET_STRING) return this.#content
    return Buffer.concat(this.#parts(CONSTRUCTED_OCTET_STRING).map((part) => part.octets()))
  }

  /** An OCTET STRING under another tag: `[number] IMPLICIT`. */
  implicitOctets(number: number): Buffer {
    if (this.tag === 0x80 + number) return this.#content
    return Buffer.concat(this.tagged(number).map((part) => part.octets()))
  }

  bmpString(): string {
    this.#expect(BMP_STRING)
    if (this.#content.length % 2 !== 0) throw damaged('a name has an odd number of bytes')
    return Buffer.from(this.#content).swap16().toString('utf16le')
  }

  #parts(tag: number): readonly DerReader[] {
    this.#expect(tag)
    const parts: DerReader[] = []
    for (let rest = this.#content; rest.length > 0;) {
      const part = new DerReader(rest, this.#depth + 1)
      parts.push(part)
      rest = rest.subarray(part.whole.length)
    }
    return parts
  }

  #expect(tag: number): void {
    if (this.tag !== tag) throw damaged(`its ASN.1 has tag ${this.tag} where ${tag} is expected`)
  }
}

interface Header {
  readonly start: number
  readonly length: number
  readonly isIndefinite: boolean
}

function header(buffer: Buffer): Header {
  const first = buffer[1]
  // Numbers of tags above 30 take more bytes; stores have none.
  if (first === undefined || ((buffer[0] ?? 0) & 0x1f) === 0x1f) throw damaged('its ASN.1 ends within a value')
  if (first === INDEFINITE) return { start: 2, length: 0, isIndefinite: true }
  if (first < INDEFINITE) return { start: 2, length: first, isIndefinite: false }
  const bytes = first - INDEFINITE
  if (bytes > 4 || buffer.length < 2 + bytes) throw damaged('its ASN.1 has an impossible length')
  return { start: 2 + bytes, length: buffer.readUIntBE(2, bytes), isIndefinite: false }
}

/** The position of the end marker. */
function endOfParts(buffer: Buffer, start: number, depth: number): number {
  let position = start
  for (;;) {
    if (position + 2 > buffer.length) throw damaged('its ASN.1 ends within a value')
    if (buffer.readUInt16BE(position) === END) return position
    position += new DerReader(buffer.subarray(position), depth + 1).whole.length
  }
}
