import type { FixedBinary } from './column-target.ts'

/**
 * The text of a UUID, an INET4 or an INET6 as MariaDB prints it.
 *
 * The bytes are big-endian, after their length, without zero bytes at their end (sql_type_fixedbin.h,
 * Field_fbt::pack): the binlog has them in the order of the text, whatever the order in which tables sort UUIDs.
 *
 * Throws RangeError for too many bytes.
 */
export function fixedBinaryText(kind: FixedBinary, bytes: Buffer, start: number, end: number): string {
  checkFixedBinary(kind, start, end)
  return PRINTERS[kind](bytes.toString('hex', start, end).padEnd(2 * SIZES[kind], '0'))
}

/** Throws RangeError for too many bytes. */
export function checkFixedBinary(kind: FixedBinary, start: number, end: number): void {
  const length = end - start
  if (length > SIZES[kind]) throw new RangeError(`a value of ${kind.toUpperCase()} has ${length} bytes`)
}

const SIZES: Readonly<Record<FixedBinary, number>> = { uuid: 16, inet4: 4, inet6: 16 }

const PRINTERS: Readonly<Record<FixedBinary, (digits: string) => string>> = {
  uuid: (digits) =>
    `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`,
  inet4: (digits) => Buffer.from(digits, 'hex').join('.'),
  inet6: (digits) => inet6Text(Buffer.from(digits, 'hex')),
}

/**
 * MariaDB replaces the first of the longest runs of zero groups by `::`, also a run of one group, and prints addresses
 * that contain one of IPv4 with it: `::1.2.3.4`, `::ffff:1.2.3.4` (sql_type_inet.cc, Inet6::to_string).
 */
function inet6Text(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i))
  const run = longestZeros(groups)
  const isIpv4 = run.start === 0 && (run.length === 6 || (run.length === 5 && groups[5] === 0xffff))
  const head = groups.slice(0, run.start).map(hex)
  const tail = groups.slice(run.start + run.length, isIpv4 ? 6 : 8).map(hex)
  if (isIpv4) tail.push(bytes.subarray(12).join('.'))
  return run.length === 0 ? tail.join(':') : `${head.join(':')}::${tail.join(':')}`
}

function hex(group: number): string {
  return group.toString(16)
}

function longestZeros(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === 0) length += 1
    if (length > best.length) best = { start, length }
  }
  return best
}
