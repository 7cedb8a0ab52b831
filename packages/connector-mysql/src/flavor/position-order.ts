import type { StreamPosition } from '../offset/stream-position.ts'

/** Order of two positions of one server by file and offset; counters break ties. */
export function isFilePositionAtOrBefore(recorded: StreamPosition, desired: StreamPosition): boolean {
  if (recorded.serverId !== 0 && desired.serverId !== 0 && recorded.serverId !== desired.serverId) {
    // Two servers: their files say nothing about each other, their clocks a little.
    return recorded.timestampSeconds <= desired.timestampSeconds
  }
  const [a, b] = [splitFile(recorded.file), splitFile(desired.file)]
  // A renamed binlog begins anew: what was recorded under the old name is older.
  if (a.base !== b.base) return true
  if (a.number !== b.number) return a.number < b.number
  if (recorded.position !== desired.position) return recorded.position < desired.position
  return areCountersAtOrBefore(recorded, desired)
}

export function areCountersAtOrBefore(recorded: StreamPosition, desired: StreamPosition): boolean {
  if (recorded.event !== desired.event) return recorded.event < desired.event
  return recorded.row <= desired.row
}

function splitFile(file: string): { base: string; number: number } {
  const dot = file.lastIndexOf('.')
  return { base: file.slice(0, dot), number: Number(file.slice(dot + 1)) }
}
