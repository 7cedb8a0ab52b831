import type { ColumnType } from '../types/column-type.ts'
import { continuesTypeName, typeMeaning } from '../types/type-spelling.ts'
import { hexOfBits } from './bit-literal.ts'
import type { DdlOptions } from './options.ts'
import type { ByteMember } from './statement.ts'
import type { TokenReader } from './token-reader.ts'

/** A type without its modifiers, which may also appear between the other attributes of a column. */
export interface TypeHead {
  /** The name as spelled, in upper case with one blank between words. */
  readonly words: string
  readonly length: number | null
  readonly scale: number | null
  readonly members: readonly string[]
  readonly byteMembers: readonly ByteMember[]
}

/** The modifiers of a type that have been read so far. */
export interface TypeModifiers {
  sign: 'UNSIGNED' | 'SIGNED' | null
  isZerofill: boolean
  isBinary: boolean
  isByte: boolean
  charset: string | null
  collation: string | null
}

export function noModifiers(): TypeModifiers {
  return { sign: null, isZerofill: false, isBinary: false, isByte: false, charset: null, collation: null }
}

/** Parses the name of a type and its parameters: `VARCHAR(10)`, `DOUBLE PRECISION`, `ENUM('a', 'b')`. */
export function parseTypeHead(reader: TokenReader): TypeHead {
  const words = parseTypeName(reader)
  return { words, ...parseParameters(reader, words) }
}

function parseTypeName(reader: TokenReader): string {
  if (reader.peek().kind !== 'word') reader.fail('a data type')
  let words = reader.next().keyword
  // LONG CHARACTER VARYING, but not LONG CHARACTER SET latin1.
  while (reader.peek(1).keyword !== 'SET' && continuesTypeName(`${words} ${reader.peek().keyword}`))
    words += ` ${reader.next().keyword}`
  return words
}

/** The largest length in a history record, a Java int. */
const LENGTH_MAX = 2_147_483_647

function parseParameters(reader: TokenReader, words: string): Omit<TypeHead, 'words'> {
  if (!reader.accept('(')) return { length: null, scale: null, members: [], byteMembers: [] }
  const numbers: number[] = []
  const members: string[] = []
  const byteMembers: ByteMember[] = []
  const hasMembers = words === 'ENUM' || words === 'SET'
  while (!reader.accept(')')) {
    if (hasMembers) {
      const hex = acceptBytes(reader)
      if (hex !== null) byteMembers.push({ index: members.length, hex })
      members.push(hex === null ? parseMember(reader) : '')
    }
    // The servers take the whole part of DECIMAL(19.5).
    else numbers.push(Math.min(Math.trunc(Number(reader.value('a length'))), LENGTH_MAX))
    if (!reader.is(')')) reader.expect(',')
  }
  const [length = null, scale = null] = numbers.filter((number) => !Number.isNaN(number))
  return { length, scale, members, byteMembers }
}

/** A member of ENUM or SET; the server removes trailing blanks (sql_table.cc, prepare_set_field). */
function parseMember(reader: TokenReader): string {
  return reader.string('a member in quotes').replace(/ +$/, '')
}

/** A member as x'41', 0x41 or b'1000001', whose bytes are in the charset of the column. */
function acceptBytes(reader: TokenReader): string | null {
  const { kind, value } = reader.peek()
  if (kind !== 'hex' && kind !== 'bits') return null
  reader.skip()
  return kind === 'hex' ? value : hexOfBits(value)
}

/** Takes one modifier of a type, if one follows. A later one of a kind wins. */
export function parseTypeModifier(reader: TokenReader, modifiers: TypeModifiers): boolean {
  switch (reader.peek().keyword) {
    case 'UNSIGNED':
      modifiers.sign = 'UNSIGNED'
      break
    case 'SIGNED':
      modifiers.sign = 'SIGNED'
      break
    case 'ZEROFILL':
      modifiers.isZerofill = true
      break
    case 'BINARY':
      modifiers.isBinary = true
      break
    case 'BYTE':
      modifiers.isByte = true
      break
    case 'ASCII':
      modifiers.charset = 'latin1'
      break
    case 'UNICODE':
      modifiers.charset = 'ucs2'
      break
    default:
      return parseTypeCharset(reader, modifiers)
  }
  reader.skip()
  return true
}

function parseTypeCharset(reader: TokenReader, modifiers: TypeModifiers): boolean {
  if (reader.accept('COLLATE')) {
    reader.accept('=')
    modifiers.collation = reader.value('a collation').toLowerCase()
    return true
  }
  if (!acceptCharsetKeyword(reader)) return false
  reader.accept('=')
  modifiers.charset = reader.value('a character set').toLowerCase()
  return true
}

export function acceptCharsetKeyword(reader: TokenReader): boolean {
  return reader.accept('CHARACTER', 'SET') || reader.accept('CHARSET') || reader.accept('CHAR', 'SET')
}

/** A type and its spelling in the schema history: upper case with modifiers. */
export interface SpelledColumnType {
  readonly type: ColumnType
  readonly spelling: string
}

/** Builds a type from its head and modifiers, and resolves synonyms. */
export function assembleType(head: TypeHead, modifiers: TypeModifiers, options: DdlOptions): SpelledColumnType {
  const { length, scale, members } = head
  const words = wordsOfMode(head, options)
  const base: ColumnType = {
    name: 'UNKNOWN',
    length,
    scale,
    isUnsigned: modifiers.isZerofill || modifiers.sign === 'UNSIGNED',
    isZerofill: modifiers.isZerofill,
    charset: modifiers.isByte ? 'binary' : modifiers.charset,
    collation: modifiers.collation,
    isBinaryCollation: modifiers.isBinary,
    members,
  }
  if (words === 'SERIAL') return { type: { ...base, name: 'BIGINT', isUnsigned: true }, spelling: 'BIGINT UNSIGNED' }
  if (words === 'BOOL' || words === 'BOOLEAN')
    return { type: { ...base, name: 'TINYINT', length: 1 }, spelling: 'TINYINT' }
  if (words === 'JSON' && options.flavor === 'mariadb') {
    // An alias on MariaDB: the catalogue and the binlog have a LONGTEXT.
    const charset = base.charset ?? 'utf8mb4'
    const collation = base.collation ?? 'utf8mb4_bin'
    return { type: { ...base, name: 'LONGTEXT', charset, collation }, spelling: 'LONGTEXT' }
  }
  const { name, isNational } = typeMeaning(words)
  // MySQL takes the 0 of TEXT(0) for a size and chooses the smallest type; MariaDB ignores it.
  const isWithoutSize = (name === 'TEXT' || name === 'BLOB') && length === 0 && options.flavor === 'mariadb'
  const isFloat = words === 'REAL' && options.realAsFloat === true
  return {
    // History records have the alias utf8 for NATIONAL types.
    type: {
      ...base,
      name: isFloat ? 'FLOAT' : name,
      length: isWithoutSize ? null : length,
      charset: isNational === true ? 'utf8' : base.charset,
    },
    spelling: `${isFloat ? 'FLOAT' : words}${modifierWords(modifiers)}`,
  }
}

/** The type that a name stands for in the session's SQL mode; the name itself in all others. */
function wordsOfMode({ words, length }: TypeHead, { flavor, isOracle, isMaxDb }: DdlOptions): string {
  if (isMaxDb === true && words === 'TIMESTAMP') return 'DATETIME'
  if (isOracle !== true || flavor !== 'mariadb') return words
  switch (words) {
    case 'DATE':
      return 'DATETIME'
    case 'BLOB':
      return length === null ? 'LONGBLOB' : words
    case 'NUMBER':
      return length === null ? 'DOUBLE' : words
    default:
      return words
  }
}

function modifierWords({ sign, isZerofill, isBinary }: TypeModifiers): string {
  if (isZerofill) return ' UNSIGNED ZEROFILL'
  if (sign !== null) return ` ${sign}`
  return isBinary ? ' BINARY' : ''
}
