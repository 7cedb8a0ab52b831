import type { EncodedHeader, Header, HeaderConverter } from '@tributary/connect-api'
import { HeaderBlock } from '@tributary/kafka'
import { ByteWriter } from '@tributary/support'

/**
 * Turns the headers of records into bytes. Connectors use the same list of headers for nearly all records, and it is
 * encoded once; a transformation may add headers to each record.
 */
export class RecordHeaders {
  readonly #converter: HeaderConverter
  readonly #block = new HeaderBlock()
  readonly #value: ByteWriter = new ByteWriter(Buffer.allocUnsafeSlow(VALUE_BYTES))
  readonly #keys = new Map<string, Buffer>()
  /** What the block has; null: it has not all of a record. */
  #headers: readonly Header[] | null = null
  #ofKey: readonly EncodedHeader[] = NONE
  #ofValue: readonly EncodedHeader[] = NONE

  constructor(converter: HeaderConverter) {
    this.#converter = converter
  }

  /**
   * Returns the headers of a record, followed by those of the converters of its key and its value. They are valid until
   * the next call.
   */
  encode(headers: readonly Header[], ofKey: readonly EncodedHeader[], ofValue: readonly EncodedHeader[]): HeaderBlock {
    const block = this.#block
    if (headers === this.#headers && ofKey === this.#ofKey && ofValue === this.#ofValue) return block
    this.#headers = null
    block.clear()
    for (const header of headers) this.#add(header)
    for (const { key, value } of ofKey) block.add(key, value, value === null ? 0 : value.length)
    for (const { key, value } of ofValue) block.add(key, value, value === null ? 0 : value.length)
    this.#headers = headers
    this.#ofKey = ofKey
    this.#ofValue = ofValue
    return block
  }

  #add({ key, schema, value }: Header): void {
    const out = this.#value
    out.reset()
    const isWritten = this.#converter.write(schema, value, out)
    this.#block.add(this.#keyBytes(key), isWritten ? out.bytes : null, out.position)
  }

  /** The headers that a transformation adds have the same keys in each record. */
  #keyBytes(key: string): Buffer {
    let bytes = this.#keys.get(key)
    if (bytes === undefined) {
      bytes = Buffer.from(key)
      if (this.#keys.size < KEYS_MAX) this.#keys.set(key, bytes)
    }
    return bytes
  }

  /** The records of the poll are sent. */
  poison(): void {
    this.#headers = null
    this.#block.poison()
  }
}

const NONE: readonly EncodedHeader[] = []
/** The value of a header rarely takes more; the memory of a longer one is not kept. */
const VALUE_BYTES = 1024
/** A key may derive from data. */
const KEYS_MAX = 1_000
