import { Decimal } from '@tributary/connect-api'
import { unreachable } from '@tributary/support'
import type { AvroPlain, AvroType } from '../avro-schema/avro-document.ts'

/**
 * Returns the value that Avro bytes encode as JSON for people: records are objects, unions the value of their branch,
 * decimals text, and other bytes base64.
 *
 * @throws RangeError when the bytes are not of that type
 */
export function avroValueText(type: AvroType, bytes: Buffer, start: number): string {
  const reader = new ValueReader(bytes, start)
  const text = reader.textOf(type)
  if (!reader.isAtEnd) throw new RangeError('there are bytes after the value')
  return text
}

class ValueReader {
  readonly #bytes: Buffer
  #at: number
  #itemsLeft: number

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes
    this.#at = start
    this.#itemsLeft = bytes.length + EMPTY_ITEMS_MAX
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  textOf(type: AvroType): string {
    switch (type.tag) {
      case 'plain':
        return this.#plain(type.type)
      case 'decimal':
        return JSON.stringify(this.#decimal(this.#sized(this.#count()), type.scale))
      case 'record':
        return `{${type.fields.map((field) => `${JSON.stringify(field.name)}:${this.textOf(field.type)}`).join(',')}}`
      case 'enum':
        return JSON.stringify(type.symbols[this.#count()] ?? null)
      case 'fixed':
        return JSON.stringify(this.#sized(type.size).toString('base64'))
      case 'array':
        return `[${this.#items(() => this.textOf(type.items)).join(',')}]`
      case 'map':
        return `{${this.#items(() => `${this.#plain('string')}:${this.textOf(type.items)}`).join(',')}}`
      case 'union': {
        const branch = type.branches[this.#count()]
        if (branch === undefined) throw new RangeError('a union has no such branch')
        return this.textOf(branch)
      }
      default:
        return unreachable(type)
    }
  }

  #plain(type: AvroPlain): string {
    switch (type) {
      case 'null':
        return 'null'
      case 'boolean':
        return this.#sized(1)[0] === 1 ? 'true' : 'false'
      case 'int':
      case 'long':
        return String(this.#long())
      case 'float':
        return numberText(this.#sized(4).readFloatLE())
      case 'double':
        return numberText(this.#sized(8).readDoubleLE())
      case 'bytes':
        return JSON.stringify(this.#sized(this.#count()).toString('base64'))
      case 'string':
        return JSON.stringify(this.#sized(this.#count()).toString())
      default:
        return unreachable(type)
    }
  }

  /** Reads blocks of items. A negative number of items is followed by the block's size in bytes. */
  #items(read: () => string): readonly string[] {
    const items: string[] = []
    for (;;) {
      const count = this.#long()
      if (count === 0n) return items
      if (count < 0n) this.#long()
      for (let i = count < 0n ? -count : count; i > 0n; i--) {
        if (this.#itemsLeft-- === 0) throw new RangeError('there are more items than bytes')
        items.push(read())
      }
    }
  }

  #decimal(bytes: Buffer, scale: number): string {
    const unscaled = bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`))
    return new Decimal(unscaled, scale).toString()
  }

  #count(): number {
    const count = Number(this.#long())
    if (count < 0 || count > this.#bytes.length) throw new RangeError('a length is longer than the value')
    return count
  }

  #sized(size: number): Buffer {
    const end = this.#at + size
    if (end > this.#bytes.length) throw new RangeError('the value ends too early')
    const bytes = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return bytes
  }

  /** Reads an integer: zig-zag, in groups of seven bits. */
  #long(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#sized(1).readUInt8()
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n))
    }
    throw new RangeError('a number is longer than 64 bits')
  }
}

/**
 * Limit for items without bytes (nulls, empty records), of which corrupt bytes may announce any number. Other items
 * need a byte each.
 */
const EMPTY_ITEMS_MAX = 1_000

/** JSON has no NaN and no infinities. */
function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : `"${value}"`
}
