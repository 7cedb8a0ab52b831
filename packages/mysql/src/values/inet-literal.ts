import { fixedBinaryText } from './fixed-binary.ts'

/** The address of an INET4 literal as the server prints it; undefined for a text that is not an address. */
export function parseInet4(literal: string): string | undefined {
  const bytes = inet4Bytes(literal)
  return bytes === undefined ? undefined : fixedBinaryText('inet4', Buffer.from(bytes), 0, 4)
}

/** The address of an INET6 literal as the server prints it, whatever its spelling; undefined for a text that is not an address. */
export function parseInet6(literal: string): string | undefined {
  const halves = literal.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map((half, i) => groupsOf(half, i === halves.length - 1))
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined
  const missing = 16 - head.length - (tail?.length ?? 0)
  // `::` replaces at least one group.
  if (halves.length === 2 ? missing < 2 : missing !== 0) return undefined
  const bytes = Buffer.from([...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])])
  return fixedBinaryText('inet6', bytes, 0, bytes.length)
}

/** The bytes of groups of hexadecimal digits; the last may be an IPv4 address. */
function groupsOf(text: string, isEnd: boolean): readonly number[] | undefined {
  if (text === '') return []
  const bytes: number[] = []
  const groups = text.split(':')
  for (const [i, group] of groups.entries()) {
    const address = isEnd && i === groups.length - 1 ? inet4Bytes(group) : undefined
    if (address !== undefined) bytes.push(...address)
    else if (/^[\da-f]{1,4}$/i.test(group)) bytes.push(parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff)
    else return undefined
  }
  return bytes
}

function inet4Bytes(text: string): readonly number[] | undefined {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return undefined
  const bytes = text.split('.').map(Number)
  return bytes.every((byte) => byte < 256) ? bytes : undefined
}
