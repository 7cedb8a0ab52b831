import { assert } from '@tributary/support'
import { mysqlErrors } from '../errors.ts'

/**
 * A set of MySQL GTIDs: `uuid:1-5:7,uuid:tag:1-3` (MySQL 8.4 manual, "GTID Format and Storage"; tags since 8.3).
 *
 * Immutable.
 */
export class MySqlGtidSet {
  static readonly empty: MySqlGtidSet = new MySqlGtidSet(new Map())

  /** Key `uuid` or `uuid:tag`, lower case. */
  readonly #sources: ReadonlyMap<string, Intervals>

  private constructor(sources: ReadonlyMap<string, Intervals>) {
    this.#sources = sources
  }

  /** Throws GTID_MALFORMED for texts that the server refuses too, and for numbers beyond 2^53. */
  static parse(text: string): MySqlGtidSet {
    const sources = new Map<string, Intervals>()
    for (const part of text.split(',')) {
      const trimmed = part.trim().toLowerCase()
      if (trimmed !== '') parseSource(trimmed, text, sources)
    }
    return new MySqlGtidSet(sources)
  }

  get isEmpty(): boolean {
    return this.#sources.size === 0
  }

  /** Adds the numbers from first to last of a source: `uuid` or `uuid:tag`, lower case. */
  withRange(source: string, first: number, last: number): MySqlGtidSet {
    assert(Number.isSafeInteger(last) && first > 0 && first <= last, `GTID numbers ${first} to ${last}`)
    const added = new Intervals([first, last + 1])
    const intervals = this.#sources.get(source)
    return new MySqlGtidSet(new Map(this.#sources).set(source, intervals?.union(added) ?? added))
  }

  union(other: MySqlGtidSet): MySqlGtidSet {
    const sources = new Map(this.#sources)
    for (const [source, intervals] of other.#sources) {
      sources.set(source, sources.get(source)?.union(intervals) ?? intervals)
    }
    return new MySqlGtidSet(sources)
  }

  /** The GTIDs of this set that the other does not contain. */
  minus(other: MySqlGtidSet): MySqlGtidSet {
    const sources = new Map<string, Intervals>()
    for (const [source, intervals] of this.#sources) {
      const rest = intervals.minus(other.#sources.get(source))
      if (rest.bounds.length > 0) sources.set(source, rest)
    }
    return new MySqlGtidSet(sources)
  }

  /** @param source `uuid` or `uuid:tag`, lower case */
  contains(source: string, number: number): boolean {
    return this.#sources.get(source)?.contains(number) ?? false
  }

  isSubsetOf(other: MySqlGtidSet): boolean {
    return this.minus(other).isEmpty
  }

  equals(other: MySqlGtidSet): boolean {
    return this.isSubsetOf(other) && other.isSubsetOf(this)
  }

  /** The sources for which the predicate is true; its argument is the UUID, without a tag. */
  filter(keep: (uuid: string) => boolean): MySqlGtidSet {
    return new MySqlGtidSet(new Map([...this.#sources].filter(([source]) => keep(source.split(':')[0] ?? source))))
  }

  /** UUIDs of the sources, each once. */
  get sourceIds(): readonly string[] {
    return [...new Set([...this.#sources.keys()].map((source) => source.split(':')[0] ?? source))]
  }

  /** `uuid:1-5:7,uuid2:1`, sources sorted as the server prints them; a source's tags follow its untagged part. */
  toString(): string {
    const parts: string[] = []
    let lastUuid = ''
    for (const source of [...this.#sources.keys()].sort()) {
      const intervals = this.#sources.get(source)
      const [uuid = source, tag] = source.split(':')
      if (uuid === lastUuid && tag !== undefined) parts[parts.length - 1] += `:${tag}:${String(intervals)}`
      else parts.push(`${source}:${String(intervals)}`)
      lastUuid = uuid
    }
    return parts.join(',')
  }

  /**
   * The encoding of a set without tags in COM_BINLOG_DUMP_GTID: int<8> number of sources, for each: 16 bytes UUID,
   * int<8> number of intervals, for each: int<8> start, int<8> end (exclusive).
   */
  encode(): Buffer {
    assert(
      [...this.#sources.keys()].every((source) => !source.includes(':')),
      'a tagged GTID set has another encoding',
    )
    const parts: Buffer[] = [int64(this.#sources.size)]
    for (const [source, { bounds }] of this.#sources) {
      parts.push(Buffer.from(source.replaceAll('-', ''), 'hex'), int64(bounds.length / 2))
      for (const bound of bounds) parts.push(int64(bound))
    }
    return Buffer.concat(parts)
  }

  /** Sources with their interval bounds, for encoders. */
  entries(): Iterable<readonly [source: string, bounds: readonly number[]]> {
    return [...this.#sources].map(([source, { bounds }]) => [source, bounds] as const)
  }
}

function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

/**
 * `uuid:interval:tag:interval …`, with blanks around each part. As on the server, a source or tag without intervals,
 * and an interval that ends before it begins, are accepted and add nothing.
 */
function parseSource(part: string, text: string, sources: Map<string, Intervals>): void {
  const [first = '', ...rest] = part.split(':').map((item) => item.trim())
  const uuid = canonicalUuid(first)
  if (uuid === null) throw mysqlErrors.GTID_MALFORMED({ text, reason: `${part} does not begin with a UUID` })
  let source = uuid
  for (const item of rest) {
    if (TAG.test(item)) {
      source = `${uuid}:${item}`
      continue
    }
    const added = parseInterval(item, text)
    if (added !== null) sources.set(source, sources.get(source)?.union(added) ?? added)
  }
}

/** The UUID as the server prints it. Like the server, accepts UUIDs without hyphens or in braces too. */
function canonicalUuid(text: string): string | null {
  const match = UUID.exec(text)
  if (match === null) return null
  const hex = (match[1] ?? match[2] ?? '').replaceAll('-', '')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

function parseInterval(item: string, text: string): Intervals | null {
  const match = INTERVAL.exec(item)
  if (match === null) throw mysqlErrors.GTID_MALFORMED({ text, reason: `"${item}" is neither an interval nor a tag` })
  const first = Number(match[1])
  const last = Number(match[2] ?? match[1])
  if (first < 1) throw mysqlErrors.GTID_MALFORMED({ text, reason: `${item} begins below 1` })
  // The end of an interval is exclusive and must be exact too.
  if (first >= Number.MAX_SAFE_INTEGER || last >= Number.MAX_SAFE_INTEGER) {
    throw mysqlErrors.GTID_MALFORMED({ text, reason: `numbers beyond 2^53, as in ${item}, are not supported` })
  }
  return last < first ? null : new Intervals([first, last + 1])
}

const UUID =
  /^(?:([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|\{([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\})$/
const TAG = /^[a-z_][a-z0-9_]{0,31}$/
const INTERVAL = /^(\d+)(?:\s*-\s*(\d+))?$/

/** Ascending, disjoint, non-adjacent intervals as bounds [start, end, start, end …); ends are exclusive. */
class Intervals {
  readonly bounds: readonly number[]

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
  }

  union(other: Intervals): Intervals {
    const merged: number[] = []
    for (const [start, end] of pairs(this.bounds, other.bounds)) {
      const last = merged[merged.length - 1]
      if (last !== undefined && start <= last) merged[merged.length - 1] = Math.max(last, end)
      else merged.push(start, end)
    }
    return new Intervals(merged)
  }

  minus(other: Intervals | undefined): Intervals {
    if (other === undefined) return this
    const rest: number[] = []
    for (let i = 0; i < this.bounds.length; i += 2) {
      let start = this.bounds[i] as number
      const end = this.bounds[i + 1] as number
      for (let j = 0; j < other.bounds.length && start < end; j += 2) {
        const otherStart = other.bounds[j] as number
        const otherEnd = other.bounds[j + 1] as number
        if (otherEnd <= start || otherStart >= end) continue
        if (otherStart > start) rest.push(start, otherStart)
        start = otherEnd
      }
      if (start < end) rest.push(start, end)
    }
    return new Intervals(rest)
  }

  contains(number: number): boolean {
    for (let i = 0; i < this.bounds.length; i += 2) {
      if (number >= (this.bounds[i] as number) && number < (this.bounds[i + 1] as number)) return true
    }
    return false
  }

  toString(): string {
    const parts: string[] = []
    for (let i = 0; i < this.bounds.length; i += 2) {
      const first = this.bounds[i] as number
      const last = (this.bounds[i + 1] as number) - 1
      parts.push(first === last ? String(first) : `${first}-${last}`)
    }
    return parts.join(':')
  }
}

/** The intervals of both, by start. */
function pairs(a: readonly number[], b: readonly number[]): readonly (readonly [number, number])[] {
  const all: [number, number][] = []
  for (const bounds of [a, b]) {
    for (let i = 0; i < bounds.length; i += 2) all.push([bounds[i] as number, bounds[i + 1] as number])
  }
  return all.sort((x, y) => x[0] - y[0])
}
