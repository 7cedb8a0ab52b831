import type { SeededRandom } from '@tributary/testkit'

/** Numbers that lengths, counts and offsets are replaced by. */
const NUMBERS = [
  0, 1, 2, 0x7f, 0x80, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0xffff_ffff,
]
const INPUT_BYTES_MAX = 1 << 16

/** An input that resembles what a server sends: one to five changes of a seed, or of two. */
export function mutatedBytes(random: SeededRandom, seed: Buffer, other: Buffer): Buffer {
  let bytes: Buffer = Buffer.from(seed)
  for (let i = random.integer(1, 6); i > 0; i--) bytes = changedOnce(random, bytes, other)
  return bytes.length > INPUT_BYTES_MAX ? bytes.subarray(0, INPUT_BYTES_MAX) : bytes
}

function changedOnce(random: SeededRandom, bytes: Buffer, other: Buffer): Buffer {
  const at = random.integer(0, bytes.length + 1)
  const length = Math.min(bytes.length - at, random.pick([1, 2, 4, 8, 32]))
  switch (random.integer(0, 9)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      if (at < bytes.length) bytes[at] = (bytes[at] as number) ^ (1 << random.integer(0, 8))
      return bytes
    case 2:
      if (at < bytes.length) bytes[at] = random.integer(0, 256)
      return bytes
    case 3:
      return withNumber(random, bytes, at)
    case 4:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(random.integer(1, 9)), bytes.subarray(at)])
    case 5:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
    case 6:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)])
    case 7: {
      const from = random.integer(0, other.length + 1)
      return Buffer.concat([bytes.subarray(0, at), other.subarray(from, from + 64), bytes.subarray(at)])
    }
    default: {
      const from = random.integer(0, other.length + 1)
      return Buffer.concat([bytes.subarray(0, at), other.subarray(from)])
    }
  }
}

/** Writes a number of one, two or four bytes, or one with its own length (0xfc, 0xfd, 0xfe), over the bytes at `at`. */
function withNumber(random: SeededRandom, bytes: Buffer, at: number): Buffer {
  const number = random.pick(NUMBERS)
  const written = Buffer.alloc(9)
  const width = random.pick([1, 2, 3, 4, 8])
  const prefix = width === 2 ? 0xfc : width === 3 ? 0xfd : width === 8 ? 0xfe : null
  const isPrefixed = prefix !== null && random() < 0.5
  if (isPrefixed) written[0] = prefix
  written.writeUIntLE(number % 2 ** (8 * Math.min(width, 6)), isPrefixed ? 1 : 0, Math.min(width, 6))
  written.copy(bytes, at, 0, width + (isPrefixed ? 1 : 0))
  return bytes
}

const PUNCTUATION = [
  '(',
  ')',
  ',',
  ';',
  '`',
  "'",
  '"',
  '/*',
  '*/',
  '/*!50000',
  '/*M!',
  '--',
  '#',
  '@',
  '@@',
  '.',
  '=',
  '\\',
  '0x',
  '\u0000',
  '😀',
]

/** A statement of which words are removed, repeated, exchanged or replaced by those of another one. */
export function mutatedText(random: SeededRandom, seed: Buffer, other: Buffer): Buffer {
  const words = wordsOf(seed)
  const others = wordsOf(other)
  for (let i = random.integer(1, 6); i > 0; i--) changeWords(random, words, others)
  return Buffer.from(words.join('').slice(0, INPUT_BYTES_MAX))
}

function wordsOf(bytes: Buffer): string[] {
  return bytes.toString().match(/\s+|\w+|[^\s\w]/g) ?? []
}

function changeWords(random: SeededRandom, words: string[], others: readonly string[]): void {
  const at = random.integer(0, words.length + 1)
  const other = others.length === 0 ? '' : random.pick(others)
  switch (random.integer(0, 8)) {
    case 0:
      words.splice(at, random.integer(1, 4))
      return
    case 1:
      words.splice(at, 0, ...words.slice(at, at + random.integer(1, 8)))
      return
    case 2:
      words.splice(at, 1, other)
      return
    case 3:
      words.splice(at, 0, random.pick(PUNCTUATION))
      return
    case 4:
      words.splice(at, 1, random.pick(PUNCTUATION))
      return
    case 5:
      words.splice(at)
      return
    case 6:
      words.splice(at, words.length, ...others.slice(random.integer(0, others.length + 1)))
      return
    default:
      // Nesting that no server accepts.
      words.splice(at, 0, random.pick(['(', '/*', '`', ' NOT ', '((', '-']).repeat(random.pick([3, 100, 20_000])))
  }
}
