import { isUtf8 } from 'node:buffer'
import type { LogRecord } from '@tributary/kafka'
import type { RecordFormat } from './record-format.ts'
import { NULL_KEY, type PartName, Tombstones } from './record-part.ts'

export interface LineFormatOptions {
  readonly withKeys: boolean
  /** Called for the first key and for the first value that is not UTF-8. */
  readonly onBinary: (part: PartName, record: LogRecord) => void
}

/**
 * The format for programs: one record per line with its bytes unchanged, as Kafka's console consumer prints it; with
 * keys `key TAB value`. There are two differences: a tombstone is printed as a document (`Tombstones`), and bytes that
 * are not UTF-8 in base64, because they could contain a line end.
 */
export class LineFormat implements RecordFormat {
  readonly #options: LineFormatOptions
  readonly #reported = new Set<PartName>()
  readonly #tombstones = new Tombstones()

  constructor(options: LineFormatOptions) {
    this.#options = options
  }

  format(record: LogRecord): Buffer {
    if (record.value !== null) this.#tombstones.observe(record.value)
    const value = record.value === null ? Buffer.from(this.#tombstones.text) : this.#text('value', record.value, record)
    if (!this.#options.withKeys) return Buffer.concat([value, LINE_END])
    const key = record.key === null ? NULL_KEY_BYTES : this.#text('key', record.key, record)
    return Buffer.concat([key, TAB, value, LINE_END])
  }

  #text(part: PartName, bytes: Buffer, record: LogRecord): Buffer {
    if (isUtf8(bytes)) return bytes
    if (!this.#reported.has(part)) {
      this.#reported.add(part)
      this.#options.onBinary(part, record)
    }
    return Buffer.from(bytes.toString('base64'))
  }
}

const NULL_KEY_BYTES = Buffer.from(NULL_KEY)
const TAB = Buffer.from('\t')
const LINE_END = Buffer.from('\n')
