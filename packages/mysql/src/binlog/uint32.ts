/**
 * Reads four bytes, lowest first, without a check of the bounds: the caller knows that they exist. Buffer's own methods
 * check again, which takes measurable time for each event.
 */
export function uint32(bytes: Buffer, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
  return low + (bytes[at + 3] as number) * 0x1_00_00_00
}
