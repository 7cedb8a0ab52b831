import type { CodedError } from '@tributary/support'
import { mysqlErrors } from '../errors.ts'

/** Where the dump was to begin, and on what server. */
export interface RefusedDump {
  readonly address: string
  /** As a message says it. */
  readonly position: string
  /** The server’s words. */
  readonly reason: string
}

/**
 * ER_SOURCE_FATAL_ERROR_READING_BINLOG (1236) is the number of every reason for which a dump thread gives up; only the text tells
 * them apart. The texts are those of MySQL 5.7 to 9.7 (master, slave; since 8.0.26 source, replica) and MariaDB 10.3 to 11.8.
 */
export function dumpRefusal(dump: RefusedDump, cause: Error): CodedError {
  const kind = KINDS.find(({ words }) => words.test(dump.reason))?.code ?? 'BINLOG_REFUSED'
  return mysqlErrors[kind]({ ...dump, reason: dump.reason.replace(/^Error: /, '').replace(/\.$/, '') }, cause)
}

/** The first that fits counts: some texts have the words of two. */
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
