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
    // MySQL's entries are first: of two names of an id, MySQL's is used.
    if (!byId.has(Number(id))) byId.set(Number(id), { id: Number(id), name, charset })
    charsetByCollation.set(name, charset)
  }
}

/** The collation with the id of a table map, a column definition or a query event; undefined when unknown. */
export function collationById(id: number): Collation | undefined {
  return byId.get(id)
}

/** The canonical name of a charset: in lower case, and `utf8mb3` for the alias `utf8`. */
export function canonicalCharset(name: string): string {
  const lower = name.toLowerCase()
  return lower === 'utf8' ? 'utf8mb3' : lower
}

/**
 * The charset of a collation; null for a collation of several charsets (MariaDB's `uca1400_ai_ci`). The charset of a
 * collation that is newer than the table is the one in its name.
 */
export function charsetOfCollation(name: string): string | null {
  const lower = name.toLowerCase()
  const known = charsetByCollation.get(lower)
  if (known !== undefined) return known
  const [prefix = ''] = lower.split('_')
  const charset = canonicalCharset(prefix)
  return bytesMaxByCharset.has(charset) ? charset : null
}

/** Bytes of the longest character; 1 for an unknown charset. */
export function bytesPerCharacterMax(charset: string): number {
  return bytesMaxByCharset.get(canonicalCharset(charset)) ?? 1
}

/** Bytes of the shortest character. */
export function bytesPerCharacterMin(charset: string): number {
  return SHORTEST[canonicalCharset(charset)] ?? 1
}

const SHORTEST: Readonly<Record<string, number>> = { ucs2: 2, utf16: 2, utf16le: 2, utf32: 4 }
