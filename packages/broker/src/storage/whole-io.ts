import { readSync, writeSync } from 'node:fs'

/** Writes all bytes at the end of a file that is open for appending. Throws the system's error. */
export function appendAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
}

/** Reads `length` bytes, or fewer at the end of the file. */
export function readAt(descriptor: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  while (at < length) {
    const count = readSync(descriptor, bytes, at, length - at, position + at)
    if (count === 0) break
    at += count
  }
  return bytes.subarray(0, at)
}
