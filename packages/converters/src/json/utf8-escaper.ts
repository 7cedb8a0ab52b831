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
 * Writes UTF-8 as the inside of a JSON string, sixteen bytes at a time (docs/adr/0016-webassembly-for-long-texts.md). For long texts only:
 * the text is copied into WebAssembly memory, and the result out of it unless the writer is in that memory (the text buffer). The
 * copies are worth it from some hundred bytes on.
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

  /** Returns null where WebAssembly is not available. */
  static load(base64: string = UTF8_ESCAPER_WASM): Utf8Escaper | null {
    const memory = textMemory()
    const exports = memory === null ? null : loadWebAssembly<Exports>(base64, memory.memory)
    return memory === null || exports === null ? null : new Utf8Escaper(memory, exports)
  }

  /** Appends `bytes[start, end)`, escaped. Returns false, having appended nothing, when they are not valid UTF-8. */
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

  /** Escapes the given number of bytes at TEXT_AT. */
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

/** Upper bound of the result: one more block may be written after its end, and another one for invalid UTF-8. */
function resultBytesMax(bytes: number): number {
  return bytes * ESCAPE_LENGTH_MAX + 2 * BLOCK_BYTES
}

/**
 * Returns where the character begins that the byte at `at` belongs to. In invalid UTF-8 it returns a place at which a cut leaves the text
 * invalid, so that the error is still found.
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

function writeTables(memory: Buffer): void {
  for (let byte = 0; byte < 128; byte++) {
    memory[LENGTHS_AT + byte] = writeEscape(byte, memory, byte * ESCAPE_STRIDE) - byte * ESCAPE_STRIDE
  }
  for (let byte = 0; byte < 256; byte++) {
    memory.latin1Write(byte.toString(16).toUpperCase().padStart(2, '0'), HEX_AT + 2 * byte, 2)
  }
}

/** The memory layout of utf8-escaper.wat. */
const ESCAPE_STRIDE = 8
const LENGTHS_AT = 1024
const HEX_AT = 1536
/** A longer text is escaped in parts. */
const TEXT_BYTES_MAX = 1 << 16
const BLOCK_BYTES = 16
const TEXT_AT = SCRATCH_AT
/** After the text and the bytes after it that are overwritten. */
const RESULT_AT: number = TEXT_AT + TEXT_BYTES_MAX + 2 * BLOCK_BYTES
