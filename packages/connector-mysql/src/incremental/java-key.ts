import type { ChunkKey, KeyPart, KeyPoint } from '../chunks/chunk-key.ts'

/*
 * The form of keys in offsets of Debezium: an Object[] in Java's serialization, as hexadecimal digits.
 *
 *   aced 0005 · 75 (array) · class · int<4> length · elements
 *   element: 73 (object) · class · value      Integer int<4>, Long int<8>, Short int<2>
 *            74 (string) · int<2> length · modified UTF-8
 *            71 (reference) · int<4> 007e0000 + number: an equal string is written once
 *            70 (null)
 *   class:   72 (description) · name · int<8> serialVersionUID · flags · fields · 78 · class or 70
 *            71 (reference)
 *
 * Objects and classes are numbered in the order in which they begin.
 */

/** The key as Debezium writes it; null when that form does not have all of its values. */
export function javaKeyOf({ parts }: ChunkKey, point: KeyPoint): string | null {
  const writer = new JavaWriter()
  for (const [i, part] of parts.entries()) {
    const value = javaValueOf(part, point[i] ?? '')
    if (value === null) return null
    writer.add(value)
  }
  return writer.hex
}

/** Reads a key of Debezium; null when it is another form, or not one of these columns. */
export function pointOfJavaKey({ parts }: ChunkKey, hex: string): KeyPoint | null {
  const values = readJavaArray(Buffer.from(hex, 'hex'))
  if (values === null || values.length !== parts.length) return null
  const point: string[] = []
  for (const [i, part] of parts.entries()) {
    const value = values[i]
    const text = value === undefined ? null : textOf(part, value)
    if (text === null) return null
    point.push(text)
  }
  return point
}

type JavaValue =
  | { readonly type: 'Integer'; readonly value: number }
  | { readonly type: 'Long'; readonly value: bigint }
  | { readonly type: 'String'; readonly value: string }

/** The classes that Connector/J returns for columns of these types. */
function javaValueOf({ type }: KeyPart, text: string): JavaValue | null {
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'MEDIUMINT':
      return { type: 'Integer', value: Number(text) }
    case 'INT':
      return type.isUnsigned ? { type: 'Long', value: BigInt(text) } : { type: 'Integer', value: Number(text) }
    case 'BIGINT':
      return type.isUnsigned ? null : { type: 'Long', value: BigInt(text) }
    case 'CHAR':
    case 'VARCHAR':
    case 'TINYTEXT':
    case 'TEXT':
    case 'MEDIUMTEXT':
    case 'LONGTEXT': {
      const [charset = '', hex = ''] = text.split(':')
      const value = Buffer.from(hex, 'hex').toString()
      // In modified UTF-8, a zero and characters outside of the basic multilingual plane have other bytes.
      const isPlain = !value.includes('\0') && !/[\u{10000}-\u{10FFFF}]/u.test(value) && value.length < 0xffff / 3
      return UNICODE.has(charset) && isPlain ? { type: 'String', value } : null
    }
    default:
      return null
  }
}

const UNICODE: ReadonlySet<string> = new Set(['utf8mb4', 'utf8mb3', 'utf8', 'ascii'])

function textOf(part: KeyPart, value: bigint | string): string | null {
  const isText = typeof value === 'string'
  const text = isText ? `utf8mb4:${Buffer.from(value).toString('hex')}` : String(value)
  // Numbers are values of numeric columns only: another column would compare them by conversion.
  const isNumeric = /INT$|^DECIMAL$/.test(part.type.name)
  return isText === isNumeric || part.literal(text) === null ? null : text
}

class JavaWriter {
  readonly #elements: string[] = []
  /** By class, the number of its description. */
  readonly #classes = new Map<string, number>()
  readonly #strings = new Map<string, number>()
  /** The array and its class. */
  #handles = 2

  add(value: JavaValue): void {
    this.#elements.push(value.type === 'String' ? this.#string(value.value) : this.#object(value))
  }

  get hex(): string {
    return `aced000575${OBJECT_ARRAY}${hexOf(this.#elements.length, 4)}${this.#elements.join('')}`
  }

  #string(value: string): string {
    const known = this.#strings.get(value)
    if (known !== undefined) return reference(known)
    this.#strings.set(value, this.#handles)
    this.#handles += 1
    const bytes = Buffer.from(value)
    return `74${hexOf(bytes.length, 2)}${bytes.toString('hex')}`
  }

  #object({ type, value }: Exclude<JavaValue, { readonly type: 'String' }>): string {
    const known = this.#classes.get(type)
    const description = known === undefined ? this.#describe(type) : reference(known)
    this.#handles += 1
    const size = type === 'Integer' ? 4 : 8
    return `73${description}${BigInt.asUintN(size * 8, BigInt(value))
      .toString(16)
      .padStart(size * 2, '0')}`
  }

  #describe(type: 'Integer' | 'Long'): string {
    this.#classes.set(type, this.#handles)
    this.#handles += 1
    const own = type === 'Integer' ? INTEGER : LONG
    const number = this.#classes.get('Number')
    if (number !== undefined) return `${own}${reference(number)}`
    this.#classes.set('Number', this.#handles)
    this.#handles += 1
    return `${own}${NUMBER}`
  }
}

function reference(handle: number): string {
  return `71${hexOf(FIRST_HANDLE + handle, 4)}`
}

function hexOf(value: number, bytes: number): string {
  return value.toString(16).padStart(bytes * 2, '0')
}

const FIRST_HANDLE = 0x7e0000

function description(name: string, uid: string, fields: string): string {
  return `72${hexOf(name.length, 2)}${Buffer.from(name).toString('hex')}${uid}02${fields}78`
}

/** One field, `value`, of that type code. */
function valueField(code: string): string {
  return `0001${Buffer.from(code).toString('hex')}0005${Buffer.from('value').toString('hex')}`
}

const OBJECT_ARRAY = `${description('[Ljava.lang.Object;', '90ce589f1073296c', '0000')}70`
const INTEGER = description('java.lang.Integer', '12e2a0a4f7818738', valueField('I'))
const LONG = description('java.lang.Long', '3b8be490cc8f23df', valueField('J'))
const NUMBER = `${description('java.lang.Number', '86ac951d0b94e08b', '0000')}70`

/** Null: the bytes are not an array of such values. */
function readJavaArray(bytes: Buffer): readonly (bigint | string)[] | null {
  try {
    return new JavaReader(bytes).array()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Throws a RangeError at the end of the bytes, and for what it does not know. */
class JavaReader {
  readonly #bytes: Buffer
  #at = 0
  /** Names of classes, strings, and null for objects. */
  readonly #handles: (string | null)[] = []

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  array(): readonly (bigint | string)[] {
    if (this.#unsigned(4) !== 0xaced0005 || this.#unsigned(1) !== 0x75) throw new RangeError('no array')
    if (this.#class() !== '[Ljava.lang.Object;') throw new RangeError('no array of objects')
    this.#handles.push(null)
    const length = this.#unsigned(4)
    const values: (bigint | string)[] = []
    for (let i = 0; i < length; i++) values.push(this.#element())
    if (this.#at !== this.#bytes.length) throw new RangeError('more than an array')
    return values
  }

  #element(): bigint | string {
    const code = this.#unsigned(1)
    if (code === 0x74) {
      const text = this.#text()
      this.#handles.push(text)
      return text
    }
    if (code === 0x71) return this.#referred()
    const name = code === 0x73 ? this.#class() : null
    this.#handles.push(null)
    const size = name === null ? undefined : SIZES.get(name)
    if (size === undefined) throw new RangeError('a value of another class')
    return BigInt.asIntN(size * 8, BigInt(`0x${this.#take(size).toString('hex')}`))
  }

  #class(): string {
    const code = this.#unsigned(1)
    if (code === 0x71) return this.#referred()
    if (code !== 0x72) throw new RangeError('no class')
    const name = this.#text()
    this.#handles.push(name)
    this.#take(9)
    const fields = this.#unsigned(2)
    for (let i = 0; i < fields; i++) {
      this.#take(1)
      this.#text()
    }
    if (this.#unsigned(1) !== 0x78) throw new RangeError('annotations')
    if (this.#bytes[this.#at] === 0x70) this.#at += 1
    else this.#class()
    return name
  }

  #referred(): string {
    const known = this.#handles[this.#unsigned(4) - FIRST_HANDLE] ?? null
    if (known === null) throw new RangeError('a reference to nothing')
    return known
  }

  #text(): string {
    return this.#take(this.#unsigned(2)).toString()
  }

  #unsigned(size: number): number {
    return this.#take(size).readUIntBE(0, size)
  }

  #take(size: number): Buffer {
    const end = this.#at + size
    if (end > this.#bytes.length) throw new RangeError('the bytes end')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}

const SIZES: ReadonlyMap<string, number> = new Map([
  ['java.lang.Short', 2],
  ['java.lang.Integer', 4],
  ['java.lang.Long', 8],
])
