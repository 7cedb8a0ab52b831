import { charsetNamed, collationById, type StatementDecoder } from '@tributary/mysql'

/**
 * Statements are in the character set of the session that ran them; read as UTF-8 when it is unknown or cannot be
 * decoded.
 */
export const decodeStatement: StatementDecoder = (bytes, start, end, collation) => {
  const charset = collationById(collation)?.charset
  const decoder = charset === undefined ? undefined : charsetNamed(charset)
  return decoder === undefined || charset === 'binary' ? bytes.utf8Slice(start, end) : decoder.decode(bytes, start, end)
}
