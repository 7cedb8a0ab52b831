import type { TableId } from '@tributary/connector-kit'
import type { MySqlConnection, WaitOptions } from '@tributary/mysql'
import { connectorErrors } from '../errors.ts'
import { type DoubtfulText, doubtfulTexts } from '../schema/doubtful-texts.ts'
import { quoted, quotedText } from './quoted-name.ts'

/**
 * Completes a text of SHOW CREATE TABLE with the characters outside the basic multilingual plane that members of ENUM
 * and SET and defaults contain: the servers print `?` for them, also in `information_schema`. Defaults of binary strings
 * that are not UTF-8 become hexadecimal literals.
 *
 * It needs no more than the privilege for SELECT, and reads no rows:
 *
 * - MySQL: the first part of a recursive query determines the types of its columns, so its second part can convert the
 *   number of a member to the type of the column. (MariaDB stores only 8 bits of a SET there.)
 * - MariaDB: a variable of a compound statement can have the type of a column.
 * - DEFAULT of a column returns the value itself.
 *
 * Comments stay as they are: the servers have stored them with `?`.
 *
 * @throws MEMBERS_UNKNOWN when the answers do not fit the text; errors of the connection
 */
export async function completeDefinition(
  connection: MySqlConnection,
  id: TableId,
  createSql: string,
  wait: WaitOptions = {},
): Promise<string> {
  const doubtful = doubtfulTexts(createSql)
  if (doubtful.length === 0) return createSql
  /** Literals. */
  const values = new Map<DoubtfulText, string>()
  for (const texts of Map.groupBy(doubtful, ({ column, of }) => `${of.tag} ${column}`).values()) {
    for (let first = 0; first < texts.length; first += TEXTS_AT_ONCE) {
      const some = texts.slice(first, first + TEXTS_AT_ONCE)
      const answers = await readTexts({ connection, id, wait }, some)
      for (const [i, text] of some.entries()) values.set(text, literalOf(id, text, answers[i]))
    }
  }
  let completed = ''
  let from = 0
  for (const text of doubtful) {
    completed += `${createSql.slice(from, text.start)}${values.get(text) ?? quotedText(text.printed)}`
    from = text.end
  }
  return completed + createSql.slice(from)
}

interface Asked {
  readonly connection: MySqlConnection
  readonly id: TableId
  readonly wait: WaitOptions
}

interface Answer {
  /** In UTF-8 as hex digits. */
  readonly hex: string | null
  readonly charset: string | null
  /** The bytes of a default as hex digits. */
  readonly bytes: string | null
}

/** The texts are of one column, and so are the answers, in their order. */
async function readTexts({ connection, id, wait }: Asked, texts: readonly DoubtfulText[]): Promise<readonly Answer[]> {
  const [{ column, of }] = texts as readonly [DoubtfulText]
  const table = `${quoted(id.database)}.${quoted(id.table)}`
  const doing = `reading the members and defaults of ${id.toString()}`
  const ask = async (sql: string): Promise<readonly Answer[]> => {
    const rows = await connection.query(sql, doing, wait)
    return rows.map(([hex = null, charset = null, bytes = null]) => ({ hex, charset, bytes }))
  }
  // One row, whether the table has rows or not, with NULL and the type of the column.
  const typed = `SELECT ${quoted(column)} AS m FROM (SELECT 1 AS one) AS o LEFT JOIN ${table} ON FALSE`
  if (of.tag === 'default') {
    // Of a column that is NOT NULL, DEFAULT would be NULL in that row itself; LIMIT makes the server keep the table d.
    return ask(
      `SELECT HEX(CONVERT(DEFAULT(d.m) USING utf8mb4)), CHARSET(d.m), HEX(DEFAULT(d.m)) FROM (${typed} LIMIT 1) AS d`,
    )
  }
  const numbers = texts.map(numberOf)
  const [version] = await connection.query('SELECT VERSION()', doing, wait)
  if (version?.[0]?.includes('MariaDB') !== true) {
    const rows = numbers.map((number, i) => `SELECT ${i + 1} AS k, CAST(${number} AS UNSIGNED) AS v`)
    return ask(`WITH RECURSIVE r (k, m) AS (SELECT 0, m FROM (${typed}) AS d
      UNION ALL SELECT n.k, n.v FROM r JOIN (${rows.join(' UNION ALL ')}) AS n WHERE r.k = 0)
      SELECT HEX(CONVERT(m USING utf8mb4)), CHARSET(m) FROM r WHERE k > 0 ORDER BY k`)
  }
  const appended = "SET list = CONCAT(list, HEX(CONVERT(member USING utf8mb4)), ' ', CHARSET(member), ',');"
  const steps = numbers.map((number) => `SET member = ${number}; ${appended}`)
  // A result of the compound statement itself would be one of several.
  await connection.query(
    `BEGIN NOT ATOMIC DECLARE member TYPE OF ${table}.${quoted(column)}; DECLARE list LONGTEXT CHARACTER SET utf8mb4 DEFAULT '';
     ${steps.join(' ')} SET @members = list; END`,
    doing,
    wait,
  )
  const [list] = await connection.query('SELECT @members', doing, wait)
  return (list?.[0] ?? '').split(',').map((answer) => {
    const [hex = null, charset = null] = answer.split(' ')
    return { hex, charset, bytes: null }
  })
}

/** ENUM numbers its members from 1, SET gives each a bit. */
function numberOf({ of }: DoubtfulText): string {
  if (of.tag === 'default') return '0'
  return of.type === 'enum' ? String(of.index + 1) : String(1n << BigInt(of.index))
}

function literalOf(id: TableId, { column, of, printed }: DoubtfulText, answer: Answer | undefined): string {
  const { hex = null, charset = null, bytes = null } = answer ?? {}
  if (charset === 'binary') {
    // Bytes are printed without a conversion.
    if (!printed.includes(NO_CHARACTER)) return quotedText(printed)
    if (bytes !== null && Buffer.from(bytes, 'hex').toString() === printed) return `x'${bytes}'`
  }
  const value = hex === null || charset === 'binary' ? null : Buffer.from(hex, 'hex').toString()
  if (value !== null && value.replaceAll(OUTSIDE_BMP, '?') === printed) return quotedText(value)
  const what = of.tag === 'default' ? 'the default' : `member ${of.index + 1}`
  throw connectorErrors.MEMBERS_UNKNOWN({ table: id.toString(), column, what, printed })
}

/** Of bytes that are not UTF-8. */
const NO_CHARACTER = '\uFFFD'

const OUTSIDE_BMP = /[\u{10000}-\u{10FFFF}]/gu
/** Keeps the statement small: an ENUM may have 65,535 members. */
const TEXTS_AT_ONCE = 200
