import type { DdlOptions } from './options.ts'

/** Bits of sql_mode in query events, the same for both servers (sql_mode.h). */
const REAL_AS_FLOAT = 1n
const ANSI_QUOTES = 1n << 2n
const NO_BACKSLASH_ESCAPES = 1n << 20n

export type SqlModeOptions = Required<Pick<DdlOptions, 'ansiQuotes' | 'noBackslashEscapes' | 'realAsFloat'>>

/** Converts the sql_mode of a query event to options of the parser. */
export function sqlModeOptions(sqlMode: bigint): SqlModeOptions {
  return {
    ansiQuotes: (sqlMode & ANSI_QUOTES) !== 0n,
    noBackslashEscapes: (sqlMode & NO_BACKSLASH_ESCAPES) !== 0n,
    realAsFloat: (sqlMode & REAL_AS_FLOAT) !== 0n,
  }
}
