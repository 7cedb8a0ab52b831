import type { MariaDbGtid } from '../gtid/mariadb-gtid-set.ts'
import type { RowsEvent } from './rows-event.ts'
import type { TableMap } from './table-map.ts'

/** A statement in the binlog: DDL, the begin and end of transactions, and data changes in statement format. */
export interface QueryEvent {
  readonly tag: 'query'
  /** The session that ran it. */
  readonly threadId: number
  /** Default database of that session; empty when it had none. */
  readonly database: string
  readonly sql: string
  /** The session's sql_mode bits; null when the event does not say. */
  readonly sqlMode: bigint | null
  /** The session's time_zone; absent when the statement does not depend on it. */
  readonly timeZone?: string
  /** Options of the session (OPTION_… in the servers' sources); absent when the event does not say. */
  readonly flags?: number
  /** MySQL: the session's explicit_defaults_for_timestamp; absent when the statement does not depend on it. */
  readonly hasExplicitTimestampDefaults?: boolean
  /** Id of a collation of the session's character_set_client; absent for BEGIN, 0 when the event does not say. */
  readonly clientCollation?: number
  /** Id of the session's collation_server, the default of CREATE DATABASE; absent when the event does not say. */
  readonly serverCollation?: number
}

export interface GtidEvent {
  readonly tag: 'gtid'
  /** UUID of the source, lower case; with a tag `uuid:tag`. */
  readonly source: string
  readonly number: number
  /** When the transaction was committed on its original server, in microseconds since 1970; null before MySQL 8.0.1. */
  readonly originalCommitMicros: number | null
}

/** Begins a transaction of a server of MySQL without GTIDs. */
export interface AnonymousGtidEvent {
  readonly tag: 'anonymousGtid'
  /** As of a `GtidEvent`. */
  readonly originalCommitMicros: number | null
}

export interface MariaDbGtidEvent {
  readonly tag: 'mariadbGtid'
  readonly gtid: MariaDbGtid
  /** True: one statement follows (DDL); false: this event begins a transaction that XID or COMMIT ends. */
  readonly isStandalone: boolean
  /** True: it begins an XA transaction, which XA PREPARE ends. */
  readonly isXa: boolean
  /** Which phase of an ALTER follows that was run with binlog_alter_two_phase; null for everything else. */
  readonly alterPhase: AlterPhase | null
}

/**
 * With binlog_alter_two_phase the server logs an ALTER twice, with the same text: before it runs and after it. Between
 * the two follow transactions of other sessions, whose rows still have the old definition. Only the commit changes the
 * table.
 */
export type AlterPhase = 'start' | 'commit' | 'rollback'

/** The end of an XA transaction's rows: it is prepared, or with one phase committed. */
export interface XaPrepareEvent {
  readonly tag: 'xaPrepare'
  /** As the server writes it into its statements: `X'6162',X'',1`. */
  readonly xid: string
  readonly isOnePhase: boolean
}

export interface TableMapEvent {
  readonly tag: 'tableMap'
  readonly table: TableMap
  /** Size of the event without header and checksum. */
  readonly bodyBytes: number
}

export type BinlogEvent =
  /** `isServerStart`: the file is the first one after a start of the server. */
  | { readonly tag: 'formatDescription'; readonly serverVersion: string; readonly isServerStart: boolean }
  | { readonly tag: 'rotate'; readonly file: string; readonly position: number }
  | GtidEvent
  | AnonymousGtidEvent
  | { readonly tag: 'previousGtids' }
  | MariaDbGtidEvent
  | { readonly tag: 'mariadbGtidList'; readonly gtids: readonly MariaDbGtid[] }
  | QueryEvent
  | TableMapEvent
  | RowsEvent
  | { readonly tag: 'xid' }
  | XaPrepareEvent
  /** The statement that caused the row events that follow (rows query, annotate rows). */
  | { readonly tag: 'statement'; readonly sql: string }
  /** Nothing happened for a while; the position is the one before the next event. */
  | { readonly tag: 'heartbeat' }
  /** The server writes no more into this file: it was shut down. */
  | { readonly tag: 'stop' }
  /** The server lost events: it logs this event itself. */
  | { readonly tag: 'incident'; readonly message: string }
  /** An event that may be skipped, and was. */
  | { readonly tag: 'ignored'; readonly type: number }
