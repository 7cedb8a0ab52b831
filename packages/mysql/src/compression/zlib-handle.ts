import type { Transform } from 'node:stream'
import type { ByteCursor } from './decompressor.ts'

/**
 * The decompressor behind one of Node's streams, called on this thread and used again and again. Node's functions for
 * whole values (`inflateSync`, `zstdDecompressSync`) create a stream for each call, which takes 15 and 27 µs; a call of
 * the handle takes 1 to 2 µs for an event of some hundred bytes. Node has no public interface for that:
 * `decompressors.test.ts` fails on a version of Node that lacks these members; `of` returns null there.
 */
export class ZlibHandle {
  readonly #handle: Handle
  /** int<4> bytes of room left, int<4> bytes of input left, after a call. */
  readonly #left: Uint32Array
  readonly #flush: number
  #failure: string | null = null

  private constructor(handle: Handle, left: Uint32Array, flush: number) {
    this.#handle = handle
    this.#left = left
    this.#flush = flush
    handle.onerror = (message) => {
      this.#failure = message
    }
  }

  /** @param flush Node's constant for the end of the input */
  static of(stream: Transform, flush: number): ZlibHandle | null {
    const { _handle: handle, _writeState: left } = stream as unknown as StreamInternals
    const isKnown = typeof handle?.writeSync === 'function' && typeof handle.reset === 'function'
    return isKnown && left instanceof Uint32Array ? new ZlibHandle(handle, left, flush) : null
  }

  /** @throws RangeError; the handle must not be used any more */
  run(input: ByteCursor, output: ByteCursor): void {
    const { bytes, at, end } = input
    this.#handle.writeSync(this.#flush, bytes, at, end - at, output.bytes, output.at, output.end - output.at)
    if (this.#failure !== null) throw new RangeError(`its compressed bytes are damaged (${this.#failure})`)
    // The call has set both numbers.
    output.at = output.end - (this.#left[0] as number)
    input.at = end - (this.#left[1] as number)
  }

  /** Begins another stream. */
  reset(): void {
    this.#handle.reset()
  }
}

interface Handle {
  onerror: (message: string) => void
  writeSync(
    flush: number,
    input: Buffer,
    inputAt: number,
    inputBytes: number,
    output: Buffer,
    outputAt: number,
    outputBytes: number,
  ): void
  reset(): void
}

interface StreamInternals {
  readonly _handle?: Handle
  readonly _writeState?: unknown
}
