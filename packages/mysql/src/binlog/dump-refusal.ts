import type { CodedError } from '@tributary/support'
import { mysqlErrors } from '../errors.ts'

/** The start position of the refused dump, and the server. */
export interface RefusedDump {
  readonly address: string
  /** For messages. */
  readonly position: string
  /** The server's error text. */
  readonly reason: string
}

/**
 * Returns the error for a refused dump. ER_SOURCE_FATAL_ERROR_READING_BINLOG (1236) covers every reason for which a
 * dump thread ends; only the text distinguishes them. The known texts are those of MySQL 5.7 to 9.7 (master, slave;
 * since 8.0.26 source, replica) and MariaDB 10.3 to 11.8.
 */
export function dumpRefusal(dump: RefusedDump, cause: Error): CodedError {
  const kind = KINDS.find(({ words }) => words.test(dump.reason))?.code ?? 'BINLOG_REFUSED'
  return mysqlErrors[kind]({ ...dump, reason: dump.reason.replace(/^Error: /, '').replace(/\.$/, '') }, cause)
}

/** The first match decides: some texts contain the words of two kinds. */
const KINDS = [
  { code: 'BINLOG_GTID_MODE', words: /GTID_MODE/ },
  { code: 'BINLOG_EVENT_TOO_LARGE', words: /max_allowed_packet/ },
  { code: 'BINLOG_GTID_AHEAD', words: /more GTIDs than the (source|master)/ },
  { code: 'BINLOG_GTID_DIVERGED', words: /not in the (source|master)'s binlog\. |diverged|gtid_strict_mode/ },
  { code: 'BINLOG_GTID_AHEAD', words: /not in the (source|master)'s binlog/ },
  { code: 'BINLOG_POSITION_INVALID', words: /position (>|<)|impossible position/ },
  { code: 'BINLOG_UNAVAILABLE', words: /purged|could not find (first|next|GTID)|too old/i },
  { code: 'BINLOG_DAMAGED', words: /truncated|bogus data|checksum|I\/O error|crc|corrupt|bad magic/i },
] as const
