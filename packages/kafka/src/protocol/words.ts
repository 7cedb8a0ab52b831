/**
 * Short runs of bytes are copied as 64-bit words, which optimized code does without making a BigInt. The last word may
 * extend past the run, in both buffers, by less than this.
 */
export const WORD_BYTES = 8
/** Above it a native copy is faster than a loop over words. */
export const WORDED_BYTES_MAX = 128
