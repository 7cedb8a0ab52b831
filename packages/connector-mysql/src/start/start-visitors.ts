import type { BinlogEvent } from '@tributary/mysql'
import type { EventPlace } from './binlog-walk.ts'

/**
 * Finds the first transaction that was committed in that second or later, or has an event of it. MySQL logs when a
 * transaction was committed; MariaDB only when its statements began.
 */
export class TransactionsSince {
  readonly #seconds: number
  #begin: EventPlace | null = null
  #found: EventPlace | null = null

  constructor(seconds: number) {
    this.#seconds = seconds
  }

  /** Null: there is none. */
  get found(): { readonly file: string; readonly position: number; readonly seconds: number } | null {
    const found = this.#found
    return found === null ? null : { ...found, seconds: this.#seconds }
  }

  visit(event: BinlogEvent, place: EventPlace): boolean {
    if (place.timestampSeconds === 0 || isOfFile(event)) return false
    if (isBegin(event)) this.#begin = place
    if (this.#begin === null) return false
    if (place.timestampSeconds < this.#seconds && commitSeconds(event) < this.#seconds) return false
    this.#found = this.#begin
    return true
  }
}

/** When the transaction that the event begins was committed, on the server where it was made; 0: the event lacks it. */
function commitSeconds(event: BinlogEvent): number {
  return event.tag === 'gtid' || event.tag === 'anonymousGtid' ? (event.originalCommitMicros ?? 0) / 1e6 : 0
}

/** Looks whether a transaction begins at a place. */
export class FirstEvents {
  readonly #place: { readonly file: string; readonly position: number }
  /** Why a reader cannot start there; null: it can. */
  refusal: string | null = null
  /** Time of the first event; null: there is none. */
  firstSeconds: number | null = null

  constructor(place: { readonly file: string; readonly position: number }) {
    this.#place = place
  }

  visit(event: BinlogEvent, place: EventPlace): boolean {
    // The server sends a format description first, wherever the dump begins.
    if (place.timestampSeconds === 0 || event.tag === 'formatDescription') return false
    const isFirst = this.firstSeconds === null
    this.firstSeconds ??= place.timestampSeconds
    const { file, position } = this.#place
    if (isFirst && place.file === file && place.position !== position && position > FIRST_POSITION) {
      this.refusal = `the first event after it is at ${place.position}`
    } else if (isInside(event)) {
      this.refusal = 'it is in the middle of a transaction'
    } else if (!isBegin(event)) {
      return false
    }
    return true
  }
}

const FIRST_POSITION = 4

/** Every transaction and statement begins with one, on all servers that are supported. */
function isBegin({ tag }: BinlogEvent): boolean {
  return tag === 'gtid' || tag === 'anonymousGtid' || tag === 'mariadbGtid'
}

function isInside({ tag }: BinlogEvent): boolean {
  return ['tableMap', 'rows', 'xid', 'xaPrepare', 'statement', 'query'].includes(tag)
}

/** Events that are no part of a transaction. */
function isOfFile({ tag }: BinlogEvent): boolean {
  return ['formatDescription', 'rotate', 'previousGtids', 'mariadbGtidList', 'heartbeat', 'stop'].includes(tag)
}
