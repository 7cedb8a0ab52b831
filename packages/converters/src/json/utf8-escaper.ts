import { assert, type ByteWriter } from '@tributary/support'
import { ESCAPE_LENGTH_MAX, writeEscape } from './json-escapes.ts'
import { UTF8_ESCAPER_WASM } from './utf8-escaper-wasm.ts'

/**
 * Writes the inside of a JSON string from the UTF-8 `bytes[start, end)`; false, and nothing written, when it is none. For long texts: what
 * goes in and out is copied, for which the 128 bits at a time in between (docs/adr/0016-webassembly-for-long-texts.md) pay from some hundred bytes on.
 */
export function escapeUtf8(bytes: Buffer, start: number, end: number, out: ByteWriter): boolean {
  const { memory, escape } = (loaded ??= load())
  const textStart = out.position
  for (let at = start; at < end;) {
    const partEnd = at + TEXT_BYTES_MAX >= end ? end : characterStart(bytes, at + TEXT_BYTES_MAX)
    memory.set(bytes.subarray(at, partEnd), TEXT_AT)
    const resultEnd = escape(TEXT_AT, partEnd - at, RESULT_AT)
    if (resultEnd === 0) {
      out.position = textStart
      return false
    }
    out.write(memory.subarray(RESULT_AT, resultEnd))
    at = partEnd
  }
  return true
}

/** Where the character begins that the byte belongs to. Of bytes that are no UTF-8, a place at which that will be found, too. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at
  while (start > at - 3 && ((bytes[start] as number) & 0xc0) === 0x80) start -= 1
  return start
}

interface Escaper {
  readonly memory: Buffer
  readonly escape: Exports['escape']
}

/** Of utf8-escaper.wat. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly escape: (text: number, bytes: number, result: number) => number
}

/** What is used of it; TypeScript has it among the types of browsers only. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: Exports }
}

let loaded: Escaper | null = null

function load(): Escaper {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(UTF8_ESCAPER_WASM, 'base64')))
  const memory = Buffer.from(exports.memory.buffer)
  assert(
    memory.length >= RESULT_AT + TEXT_BYTES_MAX * ESCAPE_LENGTH_MAX + BLOCK_BYTES,
    'the result of any text has room',
  )
  for (let byte = 0; byte < 128; byte++) {
    memory[LENGTHS_AT + byte] = writeEscape(byte, memory, byte * ESCAPE_STRIDE) - byte * ESCAPE_STRIDE
  }
  for (let byte = 0; byte < 256; byte++) {
    memory.latin1Write(byte.toString(16).toUpperCase().padStart(2, '0'), HEX_AT + 2 * byte, 2)
  }
  return { memory, escape: exports.escape }
}

/** As utf8-escaper.wat lays out its memory. */
const ESCAPE_STRIDE = 8
const LENGTHS_AT = 1024
const HEX_AT = 1536
const TEXT_AT = 2048
/** A longer text goes through in parts. */
const TEXT_BYTES_MAX = 1 << 16
const BLOCK_BYTES = 16
/** Behind the text and what is written over. */
const RESULT_AT = TEXT_AT + TEXT_BYTES_MAX + 2 * BLOCK_BYTES
