import { mysqlErrors } from '../errors.ts'
import { describesChecksums, type EventFacts, FORMAT_DESCRIPTION, ROTATE } from '../spool/event-facts.ts'
import { eventChecksum } from './event-checksum.ts'
import { uint32 } from './uint32.ts'

/**
 * Verifies the checksum of an event of a dump before it is kept, by the format description of its file (null: none has
 * arrived). The reader verifies what this leaves out: format descriptions, and rotate events that the server makes up.
 *
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
