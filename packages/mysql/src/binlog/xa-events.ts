import type { XaPrepareEvent } from './binlog-event.ts'

/**
 * Body of XA_PREPARE_LOG_EVENT (control_events.h): int<1> one phase · int<4> format · int<4> and int<4> lengths of the
 * two parts of the xid · the parts.
 */
export function parseXaPrepare(bytes: Buffer, at: number, end: number): XaPrepareEvent {
  const format = bytes.readInt32LE(at + 1)
  const globalStart = at + 13
  const branchStart = globalStart + bytes.readUInt32LE(at + 5)
  const branchEnd = branchStart + bytes.readUInt32LE(at + 9)
  if (branchEnd > end) throw new RangeError('its xid extends past its end')
  const global = bytes.toString('hex', globalStart, branchStart)
  const branch = bytes.toString('hex', branchStart, branchEnd)
  return { tag: 'xaPrepare', xid: `X'${global}',X'${branch}',${format}`, isOnePhase: bytes[at] !== 0 }
}

/** The xid of `XA COMMIT` or `XA ROLLBACK` as the server logs it, in the spelling of `XaPrepareEvent`. */
export function xidOfStatement(sql: string): string {
  const [, text = sql] = /^\s*XA\s+(?:COMMIT|ROLLBACK)\s+(.*?)\s*$/is.exec(sql) ?? []
  return text.toLowerCase().replaceAll("x'", "X'")
}
