import type { PacketReader } from '../connection/packet-reader.ts'

export const ERR_PACKET = 0xff
/** EOF: 0xfe · int<2> warnings · int<2> status. A row that begins with 0xfe has a value of 16 MiB or more. */
const EOF_PACKET = 0xfe
const EOF_BYTES = 5

/** Whether the current packet ends columns or rows. */
export function isEnd({ bytes, start, end }: PacketReader): boolean {
  return bytes[start] === EOF_PACKET && end - start === EOF_BYTES
}

/** Waits for the next packet of an answer. */
export async function packetOf(packets: PacketReader, signal: AbortSignal | undefined): Promise<void> {
  while (!packets.next()) await packets.wait(signal)
}
