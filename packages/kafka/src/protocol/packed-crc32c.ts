import { createRequire } from 'node:module'
import { crc32c as portable } from '@platformatic/kafka'
import { fileURLToPath } from 'node:url'

type Crc32c = (bytes: Uint8Array) => number

/** C libraries by which the addons of one platform differ, as napi-rs names them; macOS has one. */
const LIBRARIES = ['-gnu', '-musl', '-msvc', '']

/**
 * Stands in the place of `@node-rs/crc32` in the packed program (scripts/pack), which has no node_modules: the native addon
 * that lies beside the bundle when there is one for this machine, else WebAssembly, three and a half times as slow.
 */
export const crc32c: Crc32c = loadNative(new URL('./native/', import.meta.url)) ?? portable

/** The function of the addon for this machine in a folder; null when there is none that can be loaded. */
export function loadNative(folder: URL): Crc32c | null {
  const require = createRequire(import.meta.url)
  for (const library of LIBRARIES) {
    const file = new URL(`crc32.${process.platform}-${process.arch}${library}.node`, folder)
    try {
      const addon = require(fileURLToPath(file)) as { readonly crc32c: Crc32c }
      return addon.crc32c
    } catch {
      // It is not there, or was built for another C library.
    }
  }
  return null
}
