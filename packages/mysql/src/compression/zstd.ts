import { present } from '@tributary/support'
import type * as Fzstd from 'fzstd'
import zlib from 'node:zlib'
import type { ByteCursor, Decompressor } from './decompressor.ts'
import { ZlibHandle } from './zlib-handle.ts'
import { type WindowLimit, ZstdPieces } from './zstd-pieces.ts'

/** A decompressor of zstd. */
export interface Zstd {
  readonly limit: WindowLimit
  readonly create: () => Decompressor
}

/** Of Node itself, from 22.15 on; null when this Node lacks it, or has it in a form that is not known. */
export function nativeZstd(): Zstd | null {
  if (native === undefined) native = findNative()
  return native
}

/** Undefined: not looked for yet. To look for it takes a stream, with memory of its own. */
let native: Zstd | null | undefined

function findNative(): Zstd | null {
  // The type definitions are those of Node 24.
  const { createZstdDecompress, constants } = zlib as Partial<typeof zlib>
  if (createZstdDecompress === undefined || constants === undefined) return null
  const flush = constants.ZSTD_e_continue
  const create = (): Decompressor | null => ZlibHandle.of(createZstdDecompress(), flush)
  if (create() === null) return null
  return { limit: NATIVE_LIMIT, create: () => present(create(), 'a form of streams that was there before') }
}

/** The decompressor of this Node, or else one in JavaScript, which is a tenth as fast. */
export async function loadZstd(): Promise<Zstd> {
  return nativeZstd() ?? javaScriptZstd(await import('fzstd'))
}

/** For tests; see `loadZstd`. */
export function javaScriptZstd({ Decompress }: typeof Fzstd): Zstd {
  return { limit: JAVASCRIPT_LIMIT, create: () => new JavaScriptZstd(Decompress) }
}

/**
 * The library hands over its output by callbacks, as much as the input yields. So it gets one block at a time, which
 * yields at most 128 KiB.
 */
class JavaScriptZstd implements Decompressor {
  readonly #stream: Fzstd.Decompress
  /** Output that no caller has had room for yet. */
  #waiting: Uint8Array[] = []
  /** The input that is in progress; each transaction begins another one. */
  #pieces: { readonly of: ByteCursor; readonly next: ZstdPieces } | null = null

  constructor(Decompress: typeof Fzstd.Decompress) {
    this.#stream = new Decompress((chunk) => this.#waiting.push(chunk))
  }

  run(input: ByteCursor, output: ByteCursor): void {
    if (this.#pieces?.of !== input) {
      this.#pieces = { of: input, next: new ZstdPieces(input, JAVASCRIPT_LIMIT) }
    }
    const { next } = this.#pieces
    for (;;) {
      this.#write(output)
      // As libzstd does: the last byte is read when there is nothing left to write.
      input.at = this.#waiting.length > 0 ? next.at - 1 : next.at
      if (output.at === output.end || next.isOver) return
      const { at } = next
      next.next()
      this.#push(input.bytes.subarray(at, next.at), next.isOver)
    }
  }

  #push(piece: Uint8Array, isLast: boolean): void {
    try {
      this.#stream.push(piece, isLast)
    } catch (cause) {
      throw new RangeError('its compressed bytes are damaged', { cause })
    }
  }

  #write(output: ByteCursor): void {
    for (let chunk = this.#waiting[0]; chunk !== undefined && output.at < output.end; chunk = this.#waiting[0]) {
      const part = chunk.subarray(0, output.end - output.at)
      output.bytes.set(part, output.at)
      output.at += part.length
      if (part.length === chunk.length) this.#waiting.shift()
      else this.#waiting[0] = chunk.subarray(part.length)
    }
  }
}

/** Unless a program raises it; also the window of the highest level. */
const NATIVE_LIMIT: WindowLimit = { windowBytesMax: 2 ** 27, limitedBy: 'libzstd' }
/** The longest distance of a repetition that the library handles. */
const JAVASCRIPT_LIMIT: WindowLimit = {
  windowBytesMax: 2 ** 25,
  limitedBy: 'the decompressor for versions of Node without zstd (use Node 22.15 or later)',
}
