import {
  assert,
  type ByteWriter,
  loadWebAssembly,
  SCRATCH_AT,
  SCRATCH_BYTES,
  textMemory,
  type TextMemory,
} from '@tributary/support'
import { ESCAPE_LENGTH_MAX, writeEscape } from './json-escapes.ts'
import { UTF8_ESCAPER_WASM } from './utf8-escaper-wasm.ts'

/**
 * Writes the inside of a JSON string from UTF-8, sixteen bytes at a time (docs/adr/0016-webassembly-for-long-texts.md). For long texts: what
 * goes in is copied, and what comes out for any writer but that of the text buffer, which pays from some hundred bytes on.
 */
export class Utf8Escaper {
  readonly #memory: Buffer
  readonly #textBuffer: Buffer
  readonly #escape: Exports['escape']

  private constructor({ bytes, textBuffer }: TextMemory, { escape }: Exports) {
    this.#memory = bytes
    this.#textBuffer = textBuffer
    this.#escape = escape
    assert(RESULT_AT + resultBytesMax(TEXT_BYTES_MAX) <= SCRATCH_AT + SCRATCH_BYTES, 'any result has room')
    writeTables(bytes)
  }

  /** Null where there is no WebAssembly. */
  static load(base64: string = UTF8_ESCAPER_WASM): Utf8Escaper | null {
    const memory = textMemory()
    const exports = memory === null ? null : loadWebAssembly<Exports>(base64, memory.memory)
    return memory === null || exports === null ? null : new Utf8Escaper(memory, exports)
  }

  /** Appends what `bytes[start, end)` become; false, and nothing appended, when they are no UTF-8. */
  write(bytes: Buffer, start: number, end: number, out: ByteWriter): boolean {
    const memory = this.#memory
    const textStart = out.position
    for (let at = start; at < end;) {
      const partEnd = at + TEXT_BYTES_MAX >= end ? end : characterStart(bytes, at + TEXT_BYTES_MAX)
      memory.set(bytes.subarray(at, partEnd), TEXT_AT)
      if (!this.#writePart(partEnd - at, out)) {
        out.position = textStart
        return false
      }
      at = partEnd
    }
    return true
  }

  /** Of so many bytes that stand at TEXT_AT. */
  #writePart(bytes: number, out: ByteWriter): boolean {
    const { position } = out
    const isInPlace = out.bytes === this.#textBuffer && position + resultBytesMax(bytes) <= out.bytes.length
    const resultAt = isInPlace ? out.bytes.byteOffset + position : RESULT_AT
    const resultEnd = this.#escape(TEXT_AT, bytes, resultAt)
    if (resultEnd === 0) return false
    if (isInPlace) out.position = position + resultEnd - resultAt
    else out.write(this.#memory.subarray(RESULT_AT, resultEnd))
    return true
  }
}

/** A block may be written behind what counts, and more of bytes that are no UTF-8. */
function resultBytesMax(bytes: number): number {
  return bytes * ESCAPE_LENGTH_MAX + 2 * BLOCK_BYTES
}

/** Where the character begins that the byte belongs to. Of bytes that are no UTF-8, a place at which that will be found, too. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at
  while (start > at - 3 && ((bytes[start] as number) & 0xc0) === 0x80) start -= 1
  return start
}

/** Of utf8-escaper.wat. */
interface Exports {
  readonly escape: (text: number, bytes: number, result: number) => number
}

function writeTables(memory: Buffer): void {
  for (let byte = 0; byte < 128; byte++) {
    memory[LENGTHS_AT + byte] = writeEscape(byte, memory, byte * ESCAPE_STRIDE) - byte * ESCAPE_STRIDE
  }
  for (let byte = 0; byte < 256; byte++) {
    memory.latin1Write(byte.toString(16).toUpperCase().padStart(2, '0'), HEX_AT + 2 * byte, 2)
  }
}

/** As utf8-escaper.wat lays out its memory. */
const ESCAPE_STRIDE = 8
const LENGTHS_AT = 1024
const HEX_AT = 1536
/** A longer text goes through in parts. */
const TEXT_BYTES_MAX = 1 << 16
const BLOCK_BYTES = 16
const TEXT_AT = SCRATCH_AT
/** Behind the text and what is written over. */
const RESULT_AT: number = TEXT_AT + TEXT_BYTES_MAX + 2 * BLOCK_BYTES
