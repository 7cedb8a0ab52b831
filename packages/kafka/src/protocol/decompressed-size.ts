/**
 * The most bytes that the records of a batch may have. Brokers refuse requests of more than 100 MiB
 * (socket.request.max.bytes), and producers buffer 32 MiB, unless they are configured otherwise. A few hundred bytes
 * can decompress to gigabytes.
 */
export const RECORDS_BYTES_MAX: number = 2 ** 27

/** @throws RangeError when the size exceeds the limit */
export function checkDecompressedSize(bytes: number): void {
  if (bytes > RECORDS_BYTES_MAX) {
    throw new RangeError(`its records decompress to more than ${RECORDS_BYTES_MAX >> 20} MiB`)
  }
}

/*
 * Snappy (format_description.txt): a block begins with its decompressed length, a varint. Java writes a stream of
 * blocks (xerial): magic 82 53 4e 41 50 50 59 00, version INT32, compatible version INT32, then for each block its
 * length INT32 and its bytes.
 */
const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0])
const XERIAL_HEADER_BYTES = 16

/** The length that the blocks declare. The decoder allocates it before it reads them. */
export function snappyLength(bytes: Buffer): number {
  if (!bytes.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC)) return declaredLength(bytes, 0)
  let total = 0
  for (let at = XERIAL_HEADER_BYTES; at + 4 <= bytes.length; at += 4 + bytes.readUInt32BE(at)) {
    total += declaredLength(bytes, at + 4)
  }
  return total
}

function declaredLength(bytes: Buffer, start: number): number {
  let length = 0
  let scale = 1
  for (let at = start; at < start + VARINT_BYTES_MAX; at += 1) {
    const byte = bytes[at] ?? 0
    length += (byte & 0x7f) * scale
    if (byte < 0x80) break
    scale *= 0x80
  }
  return length
}

const VARINT_BYTES_MAX = 5

/*
 * LZ4 frames (lz4_Frame_format.md): magic 04 22 4d 18, flags, block size, content size (8 bytes, if the flags say so),
 * dictionary id (4 bytes, likewise), checksum of the header; then blocks: size (4 bytes, lowest first, the highest bit
 * for bytes that are not compressed), bytes, checksum (4 bytes, if the flags say so); then a size of 0.
 */
const LZ4_MAGIC = 0x184d2204
const LZ4_NOT_COMPRESSED = 0x8000_0000
/** A byte of a compressed block yields at most 255. */
const LZ4_RATIO_MAX = 255

/** The most bytes that the frames can decompress to: whole blocks, or what their bytes can yield if that is less. */
export function lz4LengthMax(bytes: Buffer): number {
  let total = 0
  let at = 0
  while (at + 7 <= bytes.length && bytes.readUInt32LE(at) === LZ4_MAGIC) {
    const flags = bytes.readUInt8(at + 4)
    const blockBytesMax = 2 ** (8 + 2 * ((bytes.readUInt8(at + 5) >> 4) & 7))
    at += 7 + ((flags & 0x08) === 0 ? 0 : 8) + ((flags & 0x01) === 0 ? 0 : 4)
    const checksumBytes = (flags & 0x10) === 0 ? 0 : 4
    while (at + 4 <= bytes.length) {
      const size = bytes.readUInt32LE(at)
      at += 4
      if (size === 0) break
      const stored = size % LZ4_NOT_COMPRESSED
      total += Math.min(blockBytesMax, size >= LZ4_NOT_COMPRESSED ? stored : stored * LZ4_RATIO_MAX)
      at += stored + checksumBytes
    }
    // The checksum of the contents.
    if ((flags & 0x04) !== 0) at += 4
  }
  return total
}
