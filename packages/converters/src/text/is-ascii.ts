/**
 * Checks four bytes at a time: a native check would need a call and a view of the bytes. Hot path: `[start, end)` is in
 * range.
 */
export function isAscii(bytes: Buffer, start: number, end: number): boolean {
  let at = start
  for (const foursEnd = end - 3; at < foursEnd; at += 4) {
    const joined =
      (bytes[at] as number) | (bytes[at + 1] as number) | (bytes[at + 2] as number) | (bytes[at + 3] as number)
    if (joined >= 0x80) return false
  }
  for (; at < end; at++) if ((bytes[at] as number) >= 0x80) return false
  return true
}
