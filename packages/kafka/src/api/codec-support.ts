import zlib from 'node:zlib'
import type { Compression } from './producer.ts'

/** Whether this version of Node has the codec. It has zstd since 22.15. */
export function canCompress(codec: Compression): boolean {
  return codec !== 'zstd' || 'zstdCompress' in zlib
}
