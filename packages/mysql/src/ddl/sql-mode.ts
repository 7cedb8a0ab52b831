import type { DdlOptions } from './options.ts'

/** Bits of sql_mode in query events (sql_mode.h), the same for both servers as far as both have the mode. */
const REAL_AS_FLOAT = 1n
const ANSI_QUOTES = 1n << 2n
const ORACLE = 1n << 9n
const MSSQL = 1n << 10n
const MAXDB = 1n << 12n
const NO_BACKSLASH_ESCAPES = 1n << 20n
/** On MySQL the bit of TIME_TRUNCATE_FRACTIONAL. */
const EMPTY_STRING_IS_NULL = 1n << 32n

export type SqlModeOptions = Required<
  Pick<
    DdlOptions,
    'ansiQuotes' | 'noBackslashEscapes' | 'realAsFloat' | 'isOracle' | 'isMsSql' | 'isMaxDb' | 'emptyStringIsNull'
  >
>

/** Converts the sql_mode of a query event to options of the parser. */
export function sqlModeOptions(sqlMode: bigint): SqlModeOptions {
  return {
    ansiQuotes: (sqlMode & ANSI_QUOTES) !== 0n,
    noBackslashEscapes: (sqlMode & NO_BACKSLASH_ESCAPES) !== 0n,
    realAsFloat: (sqlMode & REAL_AS_FLOAT) !== 0n,
    isOracle: (sqlMode & ORACLE) !== 0n,
    isMsSql: (sqlMode & MSSQL) !== 0n,
    isMaxDb: (sqlMode & MAXDB) !== 0n,
    emptyStringIsNull: (sqlMode & EMPTY_STRING_IS_NULL) !== 0n,
  }
}
