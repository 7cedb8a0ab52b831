import { constants, createInflate, type Inflate, inflateSync } from 'node:zlib'
import type { ByteCursor } from './decompressor.ts'
import { ZlibHandle } from './zlib-handle.ts'

/** Inflates values in zlib's format (RFC 1950), each of which is complete. */
export class Inflater {
  readonly #create: () => ZlibHandle | null
  /** Null: none is ready for use. */
  #handle: ZlibHandle | null = null

  /** @param create for tests: returns null like on a Node whose streams have another form */
  constructor(create: () => ZlibHandle | null = nativeInflate) {
    this.#create = create
  }

  /**
   * Inflates a value and moves both cursors. The output must have room for one byte more than the value: only then does
   * zlib read what follows the last byte, its checksum. A longer value fills all of it.
   *
   * @throws RangeError
   */
  run(input: ByteCursor, output: ByteCursor): void {
    const handle = this.#handle ?? this.#create()
    this.#handle = null
    if (handle === null) {
      inflateWhole(input, output)
      return
    }
    handle.run(input, output)
    handle.reset()
    this.#handle = handle
  }
}

function nativeInflate(): ZlibHandle | null {
  return ZlibHandle.of(createInflate(), constants.Z_FINISH)
}

function inflateWhole(input: ByteCursor, output: ByteCursor): void {
  const value = input.bytes.subarray(input.at, input.end)
  const { buffer, engine } = inflated(value, output.end - output.at)
  output.bytes.set(buffer, output.at)
  output.at += buffer.length
  input.at += engine.bytesWritten
}

function inflated(value: Buffer, maxOutputLength: number): { readonly buffer: Buffer; readonly engine: Inflate } {
  try {
    // With `info`, the result has this form, which the type definitions lack.
    return inflateSync(value, { maxOutputLength, info: true }) as unknown as {
      readonly buffer: Buffer
      readonly engine: Inflate
    }
  } catch (cause) {
    throw new RangeError('its compressed bytes are damaged', { cause })
  }
}
