/**
 * Reads four bytes as a little-endian signed 32-bit integer. Hot path: the caller guarantees that four bytes follow.
 */
export function wordAt(bytes: Buffer, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  )
}
