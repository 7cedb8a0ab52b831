import { wordAt } from './word-at.ts'

/**
 * Checks four bytes at a time: a native check would need a call and a view of the bytes. Hot path: `[start, end)` is in
 * range.
 */
export function isAscii(bytes: Buffer, start: number, end: number): boolean {
  let at = start
  for (const wordsEnd = end - 3; at < wordsEnd; at += 4) if ((wordAt(bytes, at) & NOT_ASCII) !== 0) return false
  for (; at < end; at++) if ((bytes[at] as number) >= 0x80) return false
  return true
}

const NOT_ASCII = 0x8080_8080 | 0
