import { createRequire } from 'node:module'
import { crc32 as zlibCrc32 } from 'node:zlib'
import { crc32c as portableCrc32c } from '@platformatic/kafka'
import { fileURLToPath } from 'node:url'

type Checksum = (bytes: Uint8Array) => number

/** What is used of the addon. */
interface Checksums {
  /** Of Kafka's batches: Castagnoli's polynomial. */
  readonly crc32c: Checksum
  /** Of MySQL's events: zlib's polynomial. */
  readonly crc32: Checksum
}

/** C libraries by which the addons of one platform differ, as napi-rs names them; macOS has one. */
const LIBRARIES = ['-gnu', '-musl', '-msvc', '']

/**
 * Stands in the place of `@node-rs/crc32` in the packed program (scripts/pack), which has no node_modules: the native
 * addon that lies beside the bundle when there is one for this machine, else WebAssembly and zlib, a quarter as fast.
 */
const checksums: Checksums = loadNative(new URL('./native/', import.meta.url)) ?? {
  crc32c: portableCrc32c,
  crc32: zlibCrc32,
}

export const crc32c: Checksum = checksums.crc32c
export const crc32: Checksum = checksums.crc32

/** The addon for this machine in a folder; null when there is none that can be loaded. */
export function loadNative(folder: URL): Checksums | null {
  const require = createRequire(import.meta.url)
  for (const library of LIBRARIES) {
    const file = new URL(`crc32.${process.platform}-${process.arch}${library}.node`, folder)
    try {
      return require(fileURLToPath(file)) as Checksums
    } catch {
      // It is not there, or was built for another C library.
    }
  }
  return null
}
