import zlib from 'node:zlib'
import type { Compression } from './producer.ts'

/** Whether this Node has the codec: it has zstd from 22.15 on. */
export function canCompress(codec: Compression): boolean {
  return codec !== 'zstd' || 'zstdCompress' in zlib
}
