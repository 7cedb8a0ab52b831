/**
 * Decrypts RC2 in CBC mode (RFC 2268), whose key has as many effective bits as it has bits. Programs encrypted the
 * certificates of PKCS#12 with 40 bits of it until about 2021, and the OpenSSL of Node has no RC2. It protects nothing:
 * certificates are public. The padding stays.
 */
export function decryptRc2Cbc(key: Buffer, iv: Buffer, encrypted: Buffer): Buffer {
  const words = expandedKey(key)
  const plain = Buffer.alloc(encrypted.length)
  let previous = iv
  for (let at = 0; at + BLOCK_BYTES <= encrypted.length; at += BLOCK_BYTES) {
    const block = encrypted.subarray(at, at + BLOCK_BYTES)
    const decrypted = decryptBlock(words, block)
    for (let i = 0; i < BLOCK_BYTES; i += 1) plain[at + i] = (decrypted[i] ?? 0) ^ (previous[i] ?? 0)
    previous = block
  }
  return plain
}

const BLOCK_BYTES = 8
/** The permutation PITABLE of the RFC. */
const PERMUTATION = Buffer.from(
  'd978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82' +
    '54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb6266fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7' +
    '08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ecc2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731' +
    '2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a90d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad',
  'hex',
)
const ROTATIONS = [1, 2, 3, 5] as const

function expandedKey(key: Buffer): Uint16Array {
  const length = key.length
  const bytes = Buffer.alloc(128)
  key.copy(bytes)
  const byte = (i: number): number => bytes[i] ?? 0
  const permuted = (i: number): number => PERMUTATION[i & 255] ?? 0
  for (let i = length; i < 128; i += 1) bytes[i] = permuted(byte(i - 1) + byte(i - length))
  bytes[128 - length] = permuted(byte(128 - length))
  for (let i = 127 - length; i >= 0; i -= 1) bytes[i] = permuted(byte(i + 1) ^ byte(i + length))
  return Uint16Array.from({ length: 64 }, (_, i) => bytes.readUInt16LE(2 * i))
}

function decryptBlock(words: Uint16Array, block: Buffer): Buffer {
  const state = Uint16Array.from({ length: 4 }, (_, i) => block.readUInt16LE(2 * i))
  const at = (i: number): number => state[i & 3] ?? 0
  let next = 63
  const unmix = (rounds: number): void => {
    for (let round = 0; round < rounds; round += 1) {
      for (let i = 3; i >= 0; i -= 1) {
        const rotation = ROTATIONS[i] ?? 0
        const value = (at(i) >>> rotation) | (at(i) << (16 - rotation))
        state[i] = value - (words[next] ?? 0) - (at(i + 3) & at(i + 2)) - (~at(i + 3) & at(i + 1))
        next -= 1
      }
    }
  }
  const unmash = (): void => {
    for (let i = 3; i >= 0; i -= 1) state[i] = at(i) - (words[at(i + 3) & 63] ?? 0)
  }
  unmix(5)
  unmash()
  unmix(6)
  unmash()
  unmix(5)
  const result = Buffer.alloc(BLOCK_BYTES)
  for (let i = 0; i < 4; i += 1) result.writeUInt16LE(at(i), 2 * i)
  return result
}
