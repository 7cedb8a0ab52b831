import { type ByteWriter, SharedMemory } from '@tributary/support'
import { ESCAPE_LENGTH_MAX, writeEscape } from './json-escapes.ts'
import { UTF8_ESCAPER_WASM } from './utf8-escaper-wasm.ts'

/**
 * Writes UTF-8 as the inside of a JSON string, sixteen bytes at a time (docs/adr/0016-webassembly-for-long-texts.md).
 * For long texts only: the text is copied into the shared memory, and the result out of it unless the writer's buffer
 * is in that memory. The copies are worth it from some hundred bytes on.
 */
export class Utf8Escaper {
  readonly #shared: SharedMemory
  readonly #memory: Buffer
  readonly #textAt: number
  /** After the text and the bytes after it that are overwritten. */
  readonly #resultAt: number
  readonly #escape: Exports['escape']

  private constructor(shared: SharedMemory, { escape }: Exports) {
    this.#shared = shared
    this.#memory = shared.bytes
    this.#textAt = shared.allocate(TEXT_REGION_BYTES + resultBytesMax(TEXT_BYTES_MAX))
    this.#resultAt = this.#textAt + TEXT_REGION_BYTES
    this.#escape = escape
  }

  /** Returns null where WebAssembly is not available. */
  static load(base64: string = UTF8_ESCAPER_WASM): Utf8Escaper | null {
    const shared = SharedMemory.ofThread()
    if (shared === null) return null
    const tablesAt = shared.allocate(TABLES_BYTES)
    writeTables(shared.bytes.subarray(tablesAt, tablesAt + TABLES_BYTES))
    const exports = shared.load<Exports>(base64, tablesAt)
    return exports && new Utf8Escaper(shared, exports)
  }

  /** Appends `bytes[start, end)`, escaped. Returns false, having appended nothing, when they are not valid UTF-8. */
  write(bytes: Buffer, start: number, end: number, out: ByteWriter): boolean {
    const memory = this.#memory
    const textStart = out.position
    for (let at = start; at < end;) {
      const partEnd = at + TEXT_BYTES_MAX >= end ? end : characterStart(bytes, at + TEXT_BYTES_MAX)
      memory.set(bytes.subarray(at, partEnd), this.#textAt)
      if (!this.#writePart(partEnd - at, out)) {
        out.position = textStart
        return false
      }
      at = partEnd
    }
    return true
  }

  /** Escapes the given number of bytes at `#textAt`. */
  #writePart(bytes: number, out: ByteWriter): boolean {
    const { position } = out
    const isInPlace = this.#shared.contains(out.bytes) && position + resultBytesMax(bytes) <= out.bytes.length
    const resultAt = isInPlace ? out.bytes.byteOffset + position : this.#resultAt
    const resultEnd = this.#escape(this.#textAt, bytes, resultAt)
    if (resultEnd === 0) return false
    if (isInPlace) out.position = position + resultEnd - resultAt
    else out.write(this.#memory.subarray(this.#resultAt, resultEnd))
    return true
  }
}

/** Upper bound of the result: one more block may be written after its end, and another one for invalid UTF-8. */
function resultBytesMax(bytes: number): number {
  return bytes * ESCAPE_LENGTH_MAX + 2 * BLOCK_BYTES
}

/**
 * Returns where the character begins that the byte at `at` belongs to. In invalid UTF-8 it returns a place at which a
 * cut leaves the text invalid, so that the error is still found. Hot path: `at` is within the bytes.
 */
function characterStart(bytes: Buffer, at: number): number {
  let start = at
  while (start > at - 3 && ((bytes[start] as number) & 0xc0) === 0x80) start -= 1
  return start
}

/** The exports of utf8-escaper.wat. */
interface Exports {
  readonly escape: (text: number, bytes: number, result: number) => number
}

function writeTables(tables: Buffer): void {
  for (let byte = 0; byte < 128; byte++) {
    tables[LENGTHS_AT + byte] = writeEscape(byte, tables, byte * ESCAPE_STRIDE) - byte * ESCAPE_STRIDE
  }
  for (let byte = 0; byte < 256; byte++) {
    tables.latin1Write(byte.toString(16).toUpperCase().padStart(2, '0'), HEX_AT + 2 * byte, 2)
  }
}

/** The tables of utf8-escaper.wat. */
const ESCAPE_STRIDE = 8
const LENGTHS_AT = 1024
const HEX_AT = 1536
const TABLES_BYTES = 2048
/** A longer text is escaped in parts. */
const TEXT_BYTES_MAX = 1 << 16
const BLOCK_BYTES = 16
/** A text and the bytes after it that are overwritten. */
const TEXT_REGION_BYTES: number = TEXT_BYTES_MAX + 2 * BLOCK_BYTES
