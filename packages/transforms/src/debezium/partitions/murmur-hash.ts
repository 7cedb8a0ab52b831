/**
 * The hash of Debezium's class MurmurHash3: an early version of the algorithm, with 64-bit words and the seed 9001. A
 * signed number of 32 bits. Bytes of the last block are extended with their sign, as in Java.
 */
export function murmurHash(bytes: Uint8Array): number {
  const state = new State()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const tail = bytes.length & ~15
  for (let i = 0; i < tail; i += 16) state.mix(view.getBigUint64(i, true), view.getBigUint64(i + 8, true))
  if (tail < bytes.length) state.mix(lastWord(bytes, tail), lastWord(bytes, tail + 8))
  return state.finish(bytes.length)
}

/** Of a number of 32 bits, as four bytes from the lowest. */
export function murmurHashOfInt(value: number): number {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setInt32(0, value, true)
  return murmurHash(bytes)
}

/** Of the UTF-8 of a text. Half a character becomes a question mark. */
export function murmurHashOfText(text: string): number {
  const wellFormed = text.isWellFormed()
    ? text
    : text.replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '?')
  return murmurHash(Buffer.from(wellFormed))
}

function lastWord(bytes: Uint8Array, start: number): bigint {
  let word = 0n
  for (let i = start; i < Math.min(start + 8, bytes.length); i++) {
    // In range: the loop ends before the length.
    const signed = ((bytes[i] as number) << 24) >> 24
    word ^= BigInt(signed) << BigInt(8 * (i - start))
  }
  return word & WORD
}

const SEED = 9001n
const WORD = 0xffff_ffff_ffff_ffffn

class State {
  #h1 = 0x9368e53c2f6af274n ^ SEED
  #h2 = 0x586dcd208f7cd3fdn ^ SEED
  #c1 = 0x87c37b91114253d5n
  #c2 = 0x4cf5ad432745937fn

  mix(k1: bigint, k2: bigint): void {
    this.#h1 ^= (rotated((k1 * this.#c1) & WORD, 23n) * this.#c2) & WORD
    this.#h1 = (this.#h1 + this.#h2) & WORD
    this.#h2 = rotated(this.#h2, 41n)
    this.#h2 ^= (rotated((k2 * this.#c2) & WORD, 23n) * this.#c1) & WORD
    this.#h2 = (this.#h2 + this.#h1) & WORD
    this.#h1 = (this.#h1 * 3n + 0x52dce729n) & WORD
    this.#h2 = (this.#h2 * 3n + 0x38495ab5n) & WORD
    this.#c1 = (this.#c1 * 5n + 0x7b7d159cn) & WORD
    this.#c2 = (this.#c2 * 5n + 0x6bce6396n) & WORD
  }

  finish(length: number): number {
    const h2 = this.#h2 ^ BigInt(length)
    const h1 = (this.#h1 + h2) & WORD
    const hash = (finalMix(h1) + finalMix((h2 + h1) & WORD)) & WORD
    return Number(BigInt.asIntN(32, hash >> 32n))
  }
}

function rotated(word: bigint, by: bigint): bigint {
  return ((word << by) | (word >> (64n - by))) & WORD
}

function finalMix(word: bigint): bigint {
  let k = word ^ (word >> 33n)
  k = (k * 0xff51afd7ed558ccdn) & WORD
  k ^= k >> 33n
  k = (k * 0xc4ceb9fe1a85ec53n) & WORD
  return k ^ (k >> 33n)
}
