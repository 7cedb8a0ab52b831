import { mysqlErrors } from '../errors.ts'

/** A MariaDB GTID: `domain-server-sequence`. */
export interface MariaDbGtid {
  readonly domain: number
  readonly server: number
  readonly sequence: bigint
}

/**
 * A MariaDB GTID position: the last GTID of each domain and server, `0-1-100,1-2-5` (MariaDB knowledge base, "Global
 * Transaction ID"). The position contains everything up to the highest sequence of a domain. The server itself keeps
 * one GTID per domain (gtid_binlog_pos); offsets that the reference stored may have one per domain and server, which
 * this class keeps too. Immutable.
 */
export class MariaDbGtidSet {
  static readonly empty: MariaDbGtidSet = new MariaDbGtidSet(new Map())

  /** Key `domain-server`, in order of arrival. */
  readonly #last: ReadonlyMap<string, MariaDbGtid>

  private constructor(last: ReadonlyMap<string, MariaDbGtid>) {
    this.#last = last
  }

  static parse(text: string): MariaDbGtidSet {
    const last = new Map<string, MariaDbGtid>()
    for (const part of text.split(',')) {
      if (part.trim() === '') continue
      const gtid = parseMariaDbGtid(part.trim())
      last.set(`${gtid.domain}-${gtid.server}`, gtid)
    }
    return new MariaDbGtidSet(last)
  }

  get isEmpty(): boolean {
    return this.#last.size === 0
  }

  /** The position after the GTID, which replaces all earlier ones of its domain, also those of other servers. */
  with(gtid: MariaDbGtid): MariaDbGtidSet {
    const last = new Map(this.#last)
    for (const [key, { domain }] of last) if (domain === gtid.domain) last.delete(key)
    last.set(`${gtid.domain}-${gtid.server}`, gtid)
    return new MariaDbGtidSet(last)
  }

  /** The last GTID of the domain, or null. */
  last(domain: number): MariaDbGtid | null {
    let found: MariaDbGtid | null = null
    for (const gtid of this.#last.values()) {
      if (gtid.domain === domain && (found === null || gtid.sequence > found.sequence)) found = gtid
    }
    return found
  }

  get domains(): readonly number[] {
    return [...new Set([...this.#last.values()].map(({ domain }) => domain))]
  }

  /** Whether the other position contains everything that this one does. */
  isSubsetOf(other: MariaDbGtidSet): boolean {
    return this.domains.every((domain) => {
      const theirs = other.last(domain)
      return theirs !== null && theirs.sequence >= (this.last(domain)?.sequence ?? 0n)
    })
  }

  equals(other: MariaDbGtidSet): boolean {
    return this.isSubsetOf(other) && other.isSubsetOf(this)
  }

  toString(): string {
    return [...this.#last.values()].map(formatMariaDbGtid).join(',')
  }
}

export function formatMariaDbGtid({ domain, server, sequence }: MariaDbGtid): string {
  return `${domain}-${server}-${sequence}`
}

export function parseMariaDbGtid(text: string): MariaDbGtid {
  const match = /^(\d+)-(\d+)-(\d+)$/.exec(text)
  if (match === null) throw mysqlErrors.GTID_MALFORMED({ text, reason: 'a GTID is domain-server-sequence' })
  const gtid = { domain: Number(match[1]), server: Number(match[2]), sequence: BigInt(match[3] ?? 0) }
  if (gtid.domain > UINT32_MAX || gtid.server > UINT32_MAX || gtid.sequence > UINT64_MAX) {
    throw mysqlErrors.GTID_MALFORMED({ text, reason: 'domain and server have 32 bits, the sequence has 64' })
  }
  return gtid
}

const UINT32_MAX = 0xff_ff_ff_ff
const UINT64_MAX = 2n ** 64n - 1n
