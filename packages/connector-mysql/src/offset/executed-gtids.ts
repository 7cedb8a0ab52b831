import {
  formatMariaDbGtid,
  type GtidEvent,
  type MariaDbGtidEvent,
  MariaDbGtidSet,
  MySqlGtidSet,
} from '@tributary/mysql'

/** A GTID or a GTID set that is printed only when its text is needed: one is made for every transaction. */
export interface Printable {
  toString(): string
}

/** The event of the binlog that names a transaction. */
export type TransactionGtid = GtidEvent | MariaDbGtidEvent

/**
 * A set of executed transactions that grows by one transaction at a time. Every transaction keeps the set before it,
 * until its records are acknowledged: so growing makes one small object, and the set itself is assembled only when it
 * is printed.
 */
export interface ExecutedGtids extends Printable {
  /** The transaction that was added last; null when it is not known. */
  readonly last: string | null
  with(gtid: TransactionGtid): ExecutedGtids
}

/** As the server prints it: `uuid:5`, `0-1-5`. */
export function formatGtid(gtid: TransactionGtid): string {
  if (gtid.tag === 'gtid') return `${gtid.source}:${gtid.number}`
  return `${gtid.gtid.domain}-${gtid.gtid.server}-${gtid.gtid.sequence}`
}

/** The server that a transaction is of, as `gtid.source.includes` names it. */
export function sourceOf(gtid: TransactionGtid): string {
  // Of `uuid:tag`, the server is the UUID.
  return gtid.tag === 'gtid' ? gtid.source.slice(0, UUID_LENGTH) : `${gtid.gtid.domain}-${gtid.gtid.server}`
}

const UUID_LENGTH = 36

/** A transaction by its GTID, printed once at most. */
export class TransactionName implements Printable {
  readonly gtid: TransactionGtid
  #text: string | null = null

  constructor(gtid: TransactionGtid) {
    this.gtid = gtid
  }

  /** When it was committed on its first server, in microseconds since 1970; null when unknown. */
  get committedMicros(): number | null {
    return this.gtid.tag === 'gtid' ? this.gtid.originalCommitMicros : null
  }

  toString(): string {
    this.#text ??= formatGtid(this.gtid)
    return this.#text
  }
}

/** The set of a stored offset, as its text: parsed when it grows, since the first transaction shows whose it is. */
export class StoredGtids implements ExecutedGtids {
  readonly last = null
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  with(gtid: TransactionGtid): ExecutedGtids {
    const set =
      gtid.tag === 'gtid'
        ? new MySqlExecutedGtids(MySqlGtidSet.parse(this.#text))
        : new MariaDbExecutedGtids(MariaDbGtidSet.parse(this.#text))
    return set.with(gtid)
  }

  toString(): string {
    return this.#text
  }
}

/** A MySQL set: a base, and a run of consecutive numbers of one source on top of it. */
export class MySqlExecutedGtids implements ExecutedGtids {
  readonly #base: MySqlGtidSet
  readonly #source: string
  readonly #first: number
  readonly #last: number

  constructor(base: MySqlGtidSet, source = '', first = 0, last = 0) {
    this.#base = base
    this.#source = source
    this.#first = first
    this.#last = last
  }

  get last(): string | null {
    return this.#source === '' ? null : `${this.#source}:${this.#last}`
  }

  with(gtid: TransactionGtid): ExecutedGtids {
    if (gtid.tag !== 'gtid') return this
    const { source, number } = gtid
    if (number === this.#last + 1 && source === this.#source) {
      return new MySqlExecutedGtids(this.#base, source, this.#first, number)
    }
    return new MySqlExecutedGtids(this.#whole(), source, number, number)
  }

  #whole(): MySqlGtidSet {
    return this.#source === '' ? this.#base : this.#base.withRange(this.#source, this.#first, this.#last)
  }

  toString(): string {
    return this.#whole().toString()
  }
}

/** A MariaDB position: a base, and the last GTID of one domain on top of it. */
export class MariaDbExecutedGtids implements ExecutedGtids {
  readonly #base: MariaDbGtidSet
  readonly #last: MariaDbGtidEvent['gtid'] | null

  constructor(base: MariaDbGtidSet, last: MariaDbGtidEvent['gtid'] | null = null) {
    this.#base = base
    this.#last = last
  }

  get last(): string | null {
    return this.#last === null ? null : formatMariaDbGtid(this.#last)
  }

  with(gtid: TransactionGtid): ExecutedGtids {
    if (gtid.tag !== 'mariadbGtid') return this
    const isSameDomain = this.#last === null || this.#last.domain === gtid.gtid.domain
    return new MariaDbExecutedGtids(isSameDomain ? this.#base : this.#whole(), gtid.gtid)
  }

  #whole(): MariaDbGtidSet {
    return this.#last === null ? this.#base : this.#base.with(this.#last)
  }

  toString(): string {
    return this.#whole().toString()
  }
}
