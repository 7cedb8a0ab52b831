import { nextTurn, StoppedError } from '@tributary/support'
import { type EventFacts, eventFacts, PlaceTracker } from './event-facts.ts'
import { checkedCrc, payloadLength, RECORD_HEADER_BYTES } from './spool-record.ts'
import type { RecordPlace, SpoolSegment } from './spool-segment.ts'

/** Bytes that are read at a time. */
const CHUNK_BYTES = 4 << 20

/** An event of a segment, during a scan. */
export interface ScannedEvent {
  /** Valid until the next event. */
  readonly packet: Buffer
  readonly facts: EventFacts
  readonly record: RecordPlace
}

/**
 * Reads the events of a segment up to the first damaged record, or up to the event for which `onEvent` returns false.
 * The tracker has taken the event before `onEvent` is called. Yields regularly to other work of the thread.
 *
 * @returns where the intact records end, and the tracker there
 * @throws the error of the file system; StoppedError
 */
export async function scanSegment(
  segment: SpoolSegment,
  end: number,
  onEvent: (event: ScannedEvent, tracker: PlaceTracker) => boolean | void,
  signal?: AbortSignal,
): Promise<{ readonly end: RecordPlace; readonly tracker: PlaceTracker }> {
  const tracker = trackerAtStart(segment)
  let { offset, before } = segment.first
  let chunk: Buffer = EMPTY
  let at = 0
  for (;;) {
    const length = recordLength(chunk, at)
    if (length === null) return { end: { offset, before }, tracker }
    if (length > chunk.length - at) {
      const left = end - offset
      if (left < length) return { end: { offset, before }, tracker }
      await nextTurn()
      if (signal?.aborted === true) throw new StoppedError()
      chunk = segment.read(offset, Math.min(left, Math.max(CHUNK_BYTES, length)))
      at = 0
      if (chunk.length < length) return { end: { offset, before }, tracker }
      continue
    }
    const crc = checkedCrc(chunk, at, before)
    const packet = chunk.subarray(at + RECORD_HEADER_BYTES, at + length)
    const facts = crc === null ? null : eventFacts(packet)
    if (crc === null || facts === null) return { end: { offset, before }, tracker }
    tracker.take(packet, facts)
    const goesOn = onEvent({ packet, facts, record: { offset, before } }, tracker)
    at += length
    offset += length
    before = crc
    if (goesOn === false) return { end: { offset, before }, tracker }
  }
}

/** The place before the first event. */
export function trackerAtStart({ head }: SpoolSegment): PlaceTracker {
  return new PlaceTracker(head.first, head.description === null ? null : Buffer.from(head.description, 'base64'))
}

/** How many bytes to read for the record at an offset: its header, or all of it. Null: there is no record. */
function recordLength(chunk: Buffer, at: number): number | null {
  if (chunk.length - at < RECORD_HEADER_BYTES) return RECORD_HEADER_BYTES
  const payload = payloadLength(chunk, at)
  return payload === null ? null : RECORD_HEADER_BYTES + payload
}

const EMPTY = Buffer.alloc(0)
