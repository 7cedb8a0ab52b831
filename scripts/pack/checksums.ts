import { createRequire } from 'node:module'
import { crc32 as zlibCrc32 } from 'node:zlib'
import { crc32c as portableCrc32c } from '@platformatic/kafka'
import { fileURLToPath } from 'node:url'

type Checksum = (bytes: Uint8Array) => number

/** The functions of the addon that the program uses. */
interface Checksums {
  /** Of Kafka's batches: Castagnoli's polynomial. */
  readonly crc32c: Checksum
  /** Of MySQL's events: zlib's polynomial. */
  readonly crc32: Checksum
}

/** The suffixes of the addons of one platform for different C libraries (napi-rs). macOS has none. */
const LIBRARIES = ['-gnu', '-musl', '-msvc', '']

/**
 * Replaces `@node-rs/crc32` in the packed program, which has no node_modules: uses the native addon beside the bundle
 * if there is one for this machine, else WebAssembly and zlib, which take four times as long.
 */
const checksums: Checksums = loadNative(new URL('./native/', import.meta.url)) ?? {
  crc32c: portableCrc32c,
  crc32: zlibCrc32,
}

export const crc32c: Checksum = checksums.crc32c
export const crc32: Checksum = checksums.crc32

/** Loads the addon for this machine from a folder; null when none can be loaded. */
export function loadNative(folder: URL): Checksums | null {
  const require = createRequire(import.meta.url)
  for (const library of LIBRARIES) {
    const file = new URL(`crc32.${process.platform}-${process.arch}${library}.node`, folder)
    try {
      return require(fileURLToPath(file)) as Checksums
    } catch {
      // The file does not exist, or was built for another C library.
    }
  }
  return null
}
