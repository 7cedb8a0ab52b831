import type { BinlogEvent } from '@tributary/mysql'
import type { EventPlace } from './binlog-walk.ts'

/** Finds the first transaction with an event of that second or later. */
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

  /** The times of a transaction are those of its statements; the last is about that of its commit. */
  visit(event: BinlogEvent, place: EventPlace): boolean {
    if (place.timestampSeconds === 0 || isOfFile(event)) return false
    if (isBegin(event)) this.#begin = place
    if (place.timestampSeconds < this.#seconds || this.#begin === null) return false
    this.#found = this.#begin
    return true
  }
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
