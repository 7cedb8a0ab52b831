import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, gunzipSync, gzip } from 'node:zlib'

const gzipped = promisify(gzip)

/** A part of the entries of a checkpoint: lines of text, compressed. */
export interface Chunk {
  readonly bytes: Buffer
  /** SHA-256 of `bytes`, in hexadecimal digits. */
  readonly digest: string
}

/** Packs entries into chunks. The compression runs on another thread. */
export async function* packChunks(entries: Iterable<string>): AsyncGenerator<Chunk> {
  let lines: string[] = []
  let length = 0
  for (const entry of entries) {
    lines.push(entry)
    length += entry.length
    if (length < CHUNK_CHARACTERS) continue
    yield await pack(lines)
    lines = []
    length = 0
  }
  if (lines.length > 0) yield await pack(lines)
}

async function pack(lines: readonly string[]): Promise<Chunk> {
  const bytes = await gzipped(lines.join('\n'), { level: constants.Z_BEST_SPEED })
  return { bytes, digest: digestOf(bytes) }
}

/** The entries of a chunk. */
export function unpackChunk(bytes: Uint8Array): readonly string[] {
  return gunzipSync(bytes).toString().split('\n')
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * About a hundred tables: making their texts blocks the task for some milliseconds. Compressed it is a tenth, far below
 * the usual `max.message.bytes`; the text of a single table is at most 1 MB longer.
 */
const CHUNK_CHARACTERS = 500_000
