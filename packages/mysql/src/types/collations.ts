import { COLLATIONS } from './collations.table.ts'

export interface Collation {
  readonly id: number
  readonly name: string
  readonly charset: string
}

const byId = new Map<number, Collation>()
const charsetByCollation = new Map<string, string>()
const bytesMaxByCharset = new Map<string, number>()

for (const line of COLLATIONS.trim().split('\n')) {
  const [head = '', list = ''] = line.split(': ')
  const [charset = '', bytesMax = ''] = head.split(' ')
  bytesMaxByCharset.set(charset, Number(bytesMax))
  for (const entry of list.split(', ')) {
    const [id = '', name = ''] = entry.split(' ')
    // MySQL's entries come first: for an id with two names that name stands.
    if (!byId.has(Number(id))) byId.set(Number(id), { id: Number(id), name, charset })
    charsetByCollation.set(name, charset)
  }
}

/** The collation with a number that a table map, a column definition or a query event carries; undefined when unknown. */
export function collationById(id: number): Collation | undefined {
  return byId.get(id)
}

/** The one name of a charset: lower case, and `utf8mb3` for the alias `utf8`. */
export function canonicalCharset(name: string): string {
  const lower = name.toLowerCase()
  return lower === 'utf8' ? 'utf8mb3' : lower
}

/**
 * The charset that a collation belongs to; null for one that fits several (MariaDB's `uca1400_ai_ci`: the charset then
 * comes from elsewhere). A collation that is newer than the table is told by the charset it is named after.
 */
export function charsetOfCollation(name: string): string | null {
  const lower = name.toLowerCase()
  const known = charsetByCollation.get(lower)
  if (known !== undefined) return known
  const [prefix = ''] = lower.split('_')
  const charset = canonicalCharset(prefix)
  return bytesMaxByCharset.has(charset) ? charset : null
}

/** Bytes of the longest character; 1 for a charset that is not known. */
export function bytesPerCharacterMax(charset: string): number {
  return bytesMaxByCharset.get(canonicalCharset(charset)) ?? 1
}
