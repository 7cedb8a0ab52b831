// Well-known binary: the byte order (1: little-endian), the type (32 bits), then the coordinates. The extended form
// (EWKB) has flags in the type, and the SRID (32 bits) after it.

const SRID_FLAG = 0x2000_0000
const Z_FLAG = 0x8000_0000
const M_FLAG = 0x4000_0000
const TYPE_MASK = 0xff
const HEAD_BYTES = 5
const SRID_BYTES = 4
const DOUBLE_BYTES = 8

/** Nesting of collections. Each level is a recursion. */
const DEPTH_MAX = 100

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function isExtended(bytes: Uint8Array): boolean {
  if (bytes.length < HEAD_BYTES) return false
  return (viewOf(bytes).getUint32(1, bytes[0] === 1) & SRID_FLAG) !== 0
}

/** @throws RangeError if the bytes are no geometry */
export function withSrid(bytes: Uint8Array, srid: number): Uint8Array {
  const isLittle = bytes[0] === 1
  const type = viewOf(bytes).getUint32(1, isLittle)
  const extended = new Uint8Array(bytes.length + SRID_BYTES)
  extended.set(bytes.subarray(0, 1))
  extended.set(bytes.subarray(HEAD_BYTES), HEAD_BYTES + SRID_BYTES)
  viewOf(extended).setUint32(1, (type | SRID_FLAG) >>> 0, isLittle)
  viewOf(extended).setInt32(HEAD_BYTES, srid, isLittle)
  return extended
}

/** @throws RangeError if the bytes are no extended geometry */
export function withoutSrid(bytes: Uint8Array): Uint8Array {
  const isLittle = bytes[0] === 1
  const type = viewOf(bytes).getUint32(1, isLittle)
  const plain = new Uint8Array(bytes.length - SRID_BYTES)
  plain.set(bytes.subarray(0, 1))
  plain.set(bytes.subarray(HEAD_BYTES + SRID_BYTES), HEAD_BYTES)
  viewOf(plain).setUint32(1, (type & ~SRID_FLAG) >>> 0, isLittle)
  return plain
}

/**
 * The geometry with the first two coordinates of each point exchanged.
 *
 * @throws RangeError if the bytes are no geometry
 */
export function withSwappedCoordinates(bytes: Uint8Array): Uint8Array {
  const swapped = Uint8Array.from(bytes)
  return swapped.subarray(0, new CoordinateSwapper(swapped).swap())
}

/** Exchanges coordinates in place. */
class CoordinateSwapper {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0
  #isLittle = false

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = viewOf(bytes)
  }

  /** Returns the length of the geometry. */
  swap(): number {
    this.#order()
    this.#geometry(0)
    return this.#at
  }

  /** A geometry after its byte order. */
  #geometry(depth: number): void {
    if (depth > DEPTH_MAX) throw new RangeError(`collections are nested more than ${DEPTH_MAX} levels`)
    const type = this.#int()
    const stride = 2 + ((type & Z_FLAG) === 0 ? 0 : 1) + ((type & M_FLAG) === 0 ? 0 : 1)
    if ((type & SRID_FLAG) !== 0) this.#int()
    const kind = type & TYPE_MASK
    if (kind === 7) {
      this.#repeat(() => this.#inOrder(() => this.#geometry(depth + 1)))
      return
    }
    const isMulti = kind > 3
    const part = PARTS[isMulti ? kind - 3 : kind]
    if (part === undefined) throw new RangeError(`the type of geometry ${kind} is unknown`)
    if (isMulti) this.#repeat(() => this.#inOrder(() => this.#partWithType(part, stride)))
    else this.#part(part, stride)
  }

  #partWithType(part: Part, stride: number): void {
    this.#int()
    this.#part(part, stride)
  }

  #part(part: Part, stride: number): void {
    if (part === 'point') this.#point(stride)
    else if (part === 'line') this.#line(stride)
    else this.#repeat(() => this.#line(stride))
  }

  #line(stride: number): void {
    this.#repeat(() => this.#point(stride))
  }

  #point(stride: number): void {
    const end = this.#at + stride * DOUBLE_BYTES
    if (end > this.#bytes.length) throw new RangeError('the bytes end within a point')
    const second = this.#at + DOUBLE_BYTES
    const first = this.#bytes.slice(this.#at, second)
    this.#bytes.copyWithin(this.#at, second, second + DOUBLE_BYTES)
    this.#bytes.set(first, second)
    this.#at = end
  }

  /** A member of a collection has a byte order of its own. Nothing of the collection follows its members. */
  #inOrder(read: () => void): void {
    this.#order()
    read()
  }

  #repeat(read: () => void): void {
    const count = this.#int()
    // A count that is too large ends at the end of the bytes: each member has some.
    for (let i = 0; i < count; i++) read()
  }

  #order(): void {
    this.#isLittle = this.#view.getUint8(this.#at) === 1
    this.#at += 1
  }

  #int(): number {
    const value = this.#view.getInt32(this.#at, this.#isLittle)
    this.#at += 4
    return value
  }
}

type Part = 'point' | 'line' | 'polygon'

/** By the number of the type. The three after them are lists of these. */
const PARTS: readonly (Part | undefined)[] = [undefined, 'point', 'line', 'polygon']
