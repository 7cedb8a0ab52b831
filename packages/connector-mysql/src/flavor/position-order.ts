import type { LogPlace, StreamPosition } from '../offset/stream-position.ts'

/** Compares two positions of one server by file and offset, then by their counters of events and rows. */
export function isFilePositionAtOrBefore(recorded: StreamPosition, desired: StreamPosition): boolean {
  if (recorded.serverId !== 0 && desired.serverId !== 0 && recorded.serverId !== desired.serverId) {
    // The files of two servers are not comparable; their clocks are, roughly.
    return recorded.timestampSeconds <= desired.timestampSeconds
  }
  const [a, b] = [splitFile(recorded.file), splitFile(desired.file)]
  // The numbers of a renamed binlog start again: positions with the old name are older.
  if (a.base !== b.base) return true
  if (a.number !== b.number) return a.number < b.number
  if (recorded.position !== desired.position) return recorded.position < desired.position
  return areCountersAtOrBefore(recorded, desired)
}

/** Of one server; without the counters of events and rows: both are ends of transactions. */
export function isPlaceAtOrBefore(recorded: LogPlace, desired: LogPlace): boolean {
  const [a, b] = [splitFile(recorded.file), splitFile(desired.file)]
  if (a.base !== b.base) return true
  return a.number === b.number ? recorded.position <= desired.position : a.number < b.number
}

/** As `isPlaceAtOrBefore`, but false when the names of the files differ in more than their numbers. */
export function isProvenAtOrBefore(recorded: LogPlace, desired: LogPlace): boolean {
  return splitFile(recorded.file).base === splitFile(desired.file).base && isPlaceAtOrBefore(recorded, desired)
}

/**
 * Whether the binlog of the server has everything that was executed before the position before its file and position.
 * Right after a failover it does not: the file may be that of the former server, and the new one may have logged the
 * same transactions in another order. False when it is not known.
 */
export function isPlaceOfAll(position: StreamPosition): boolean {
  const { binlogEnd = null } = position.origin
  return position.restart.isOfConnection && binlogEnd !== null && isProvenAtOrBefore(binlogEnd, position)
}

export function areCountersAtOrBefore(recorded: StreamPosition, desired: StreamPosition): boolean {
  if (recorded.event !== desired.event) return recorded.event < desired.event
  return recorded.row <= desired.row
}

function splitFile(file: string): { base: string; number: number } {
  const dot = file.lastIndexOf('.')
  return { base: file.slice(0, dot), number: Number(file.slice(dot + 1)) }
}
