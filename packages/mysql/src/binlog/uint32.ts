/** Four bytes, lowest first, of which it is known that they are there: Buffer's own methods look again, which shows in every event. */
export function uint32(bytes: Buffer, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
  return low + (bytes[at + 3] as number) * 0x1_00_00_00
}
