import { mysqlErrors } from '../errors.ts'
import { describesChecksums, type EventFacts, FORMAT_DESCRIPTION, ROTATE } from '../spool/event-facts.ts'
import { eventChecksum } from './event-checksum.ts'
import { uint32 } from './uint32.ts'

/**
 * Verifies the checksum of an event before the spool keeps it. Skips format descriptions and artificial rotate events:
 * the reader verifies them.
 *
 * @param description the format description of the file; null before it has arrived
 * @param place of the event, for the message
 * @throws BINLOG_CHECKSUM
 */
export function checkEventSum(packet: Buffer, facts: EventFacts, description: Buffer | null, place: string): void {
  if (description === null || facts.type === FORMAT_DESCRIPTION || !describesChecksums(description)) return
  if (facts.type === ROTATE && facts.isArtificial) return
  const end = packet.length - 4
  const expected = uint32(packet, end)
  const actual = eventChecksum(packet, 1, end)
  if (actual !== expected) throw mysqlErrors.BINLOG_CHECKSUM({ position: place, actual, expected })
}
