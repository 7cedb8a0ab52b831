/** Bytes that are read or written from `at` on, up to `end`. */
export interface ByteCursor {
  readonly bytes: Buffer
  at: number
  readonly end: number
}

/**
 * Decompresses on the calling thread, in parts of any size: a transaction of many gigabytes needs no more memory than
 * its caller provides.
 */
export interface Decompressor {
  /**
   * Reads from `input` and writes to `output` until one of them is used up, and moves both cursors. It reads the last
   * byte of the input only once all that is decompressed is written. Input that ends early moves neither cursor.
   *
   * @throws RangeError for bytes that are not compressed data; the decompressor must not be used any more
   */
  run(input: ByteCursor, output: ByteCursor): void
}
