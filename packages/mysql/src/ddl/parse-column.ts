import { assembleType, noModifiers, parseTypeHead, parseTypeModifier } from './parse-column-type.ts'
import { parseDefaultValue } from './parse-default-value.ts'
import type { DdlOptions } from './options.ts'
import type { ColumnDefinition, ColumnPosition, DefaultValue, KeyDefinition, KeyKind } from './statement.ts'
import type { TokenReader } from './token-reader.ts'

/** The attributes after the type of a column. */
interface Attributes {
  isNullable: boolean | null
  defaultValue: DefaultValue | null
  isUpdatedAutomatically: boolean
  isAutoIncrement: boolean
  isGenerated: boolean
  rowPeriodEdge: 'start' | 'end' | null
  isSystemVersioned: boolean
  isCompressed: boolean
  comment: string | null
}

export interface ParsedColumn {
  readonly column: ColumnDefinition
  /** Keys from its attributes: PRIMARY KEY, UNIQUE, REFERENCES. */
  readonly keys: readonly KeyDefinition[]
}

/** Parses name, type and attributes of a column, up to the comma, the parenthesis or the position that follows. */
export function parseColumn(reader: TokenReader): ParsedColumn {
  const name = reader.columnName()
  const head = parseTypeHead(reader)
  const isSerial = head.words === 'SERIAL'
  const modifiers = noModifiers()
  const attributes: Attributes = {
    isNullable: isSerial ? false : null,
    defaultValue: null,
    isUpdatedAutomatically: false,
    isAutoIncrement: isSerial,
    isGenerated: false,
    rowPeriodEdge: null,
    isSystemVersioned: false,
    isCompressed: false,
    comment: null,
  }
  const kinds: KeyKind[] = isSerial ? ['unique'] : []
  while (!isColumnEnd(reader)) {
    const isKnown =
      parseTypeModifier(reader, modifiers) ||
      parseAttribute(reader, attributes) ||
      parseKeyAttribute(reader, attributes, kinds)
    if (!isKnown) skipUnknownAttribute(reader)
  }
  // Also when MariaDB then ignores the key, because the table has one.
  if (reader.options.flavor === 'mariadb' && kinds.includes('primary')) attributes.isNullable = false
  const { type, spelling } = assembleType(head, modifiers, reader.options)
  return {
    column: { name, type, byteMembers: head.byteMembers, typeSpelling: spelling, ...attributes },
    keys: keyKinds(kinds, reader.options).map((kind) => columnKey(kind, name)),
  }
}

/** FIRST, AFTER column, or nothing. */
export function parsePosition(reader: TokenReader): ColumnPosition | null {
  if (reader.accept('FIRST')) return { tag: 'first' }
  return reader.accept('AFTER') ? { tag: 'after', column: reader.columnName() } : null
}

/** ALTER TABLE permits a partition clause directly after its last action. */
function isColumnEnd(reader: TokenReader): boolean {
  if (reader.isAtEnd || reader.is(',') || reader.is(')') || reader.is('FIRST') || reader.is('AFTER')) return true
  return reader.is('PARTITION', 'BY') || reader.is('REMOVE', 'PARTITIONING')
}

/** Parses one attribute that changes the column, or that contains a keyword of one that does. */
function parseAttribute(reader: TokenReader, attributes: Attributes): boolean {
  switch (reader.peek().keyword) {
    case 'NOT':
      if (!reader.accept('NOT', 'NULL')) return false
      attributes.isNullable = false
      return true
    case 'NULL':
      reader.skip()
      attributes.isNullable = true
      return true
    case 'DEFAULT':
      reader.skip()
      attributes.defaultValue = parseDefaultValue(reader)
      return true
    case 'ON':
      reader.expect('ON', 'UPDATE')
      parseDefaultValue(reader)
      attributes.isUpdatedAutomatically = true
      return true
    case 'AUTO_INCREMENT':
      reader.skip()
      attributes.isAutoIncrement = true
      // It also counts as NOT NULL; a later NULL takes precedence.
      if (attributes.isNullable === true) attributes.isNullable = false
      return true
    case 'COMMENT':
      reader.skip()
      reader.accept('=')
      attributes.comment = reader.string('a comment')
      return true
    case 'COMPRESSED':
      reader.skip()
      if (reader.accept('=')) reader.value('a compression method')
      attributes.isCompressed = true
      return true
    case 'COLUMN_FORMAT':
    case 'STORAGE':
      // The value may be DEFAULT.
      reader.skip()
      reader.value('a storage option')
      return true
    case 'WITH':
      if (!reader.accept('WITH', 'SYSTEM', 'VERSIONING')) return false
      attributes.isSystemVersioned = true
      return true
    case 'CONSTRAINT':
    case 'CHECK':
      return parseCheck(reader)
    case 'GENERATED':
    case 'AS':
      return parseGenerated(reader, attributes)
    default:
      return false
  }
}

/** A column with PRIMARY KEY and UNIQUE has both keys on MySQL, and only the primary key on MariaDB. */
function keyKinds(kinds: readonly KeyKind[], { flavor }: DdlOptions): readonly KeyKind[] {
  return flavor === 'mariadb' && kinds.includes('primary') ? kinds.filter((kind) => kind !== 'unique') : kinds
}

function columnKey(kind: KeyKind, column: string): KeyDefinition {
  return { kind, name: null, parts: [{ tag: 'column', column, prefixLength: null }], isIfNotExists: false }
}

function parseKeyAttribute(reader: TokenReader, attributes: Attributes, kinds: KeyKind[]): boolean {
  switch (reader.peek().keyword) {
    case 'SERIAL':
      reader.expect('SERIAL', 'DEFAULT', 'VALUE')
      attributes.isAutoIncrement = true
      attributes.isNullable = false
      kinds.push('unique')
      return true
    case 'UNIQUE':
      reader.skip()
      reader.accept('KEY')
      if (!kinds.includes('unique')) kinds.push('unique')
      return true
    case 'PRIMARY':
      reader.skip()
      reader.accept('KEY')
      kinds.push('primary')
      return true
    case 'KEY':
      reader.skip()
      kinds.push('primary')
      return true
    case 'REFERENCES':
      reader.skip()
      parseReferences(reader)
      if (appliesInlineReferences(reader.options)) kinds.push('foreign')
      return true
    default:
      return false
  }
}

/** `[CONSTRAINT [name]] CHECK (…) [[NOT] ENFORCED]` */
function parseCheck(reader: TokenReader): boolean {
  if (reader.accept('CONSTRAINT') && !reader.is('CHECK')) reader.name('a constraint name')
  // The name belongs to another inline constraint, whose attribute is read next.
  if (!reader.accept('CHECK')) return true
  reader.skipParentheses()
  if (!reader.accept('NOT', 'ENFORCED')) reader.accept('ENFORCED')
  return true
}

/** `[GENERATED ALWAYS] AS (…) [VIRTUAL|STORED|PERSISTENT]`; MariaDB: `GENERATED ALWAYS AS ROW {START|END}`. */
function parseGenerated(reader: TokenReader, attributes: Attributes): boolean {
  if (reader.accept('GENERATED')) reader.accept('ALWAYS')
  reader.expect('AS')
  if (reader.accept('ROW')) {
    const edge = reader.acceptAny('START', 'END')
    if (edge === null) reader.fail('START or END')
    attributes.rowPeriodEdge = edge === 'START' ? 'start' : 'end'
  } else {
    reader.skipParentheses()
    attributes.isGenerated = true
  }
  return true
}

/** Before these versions a server ignores REFERENCES in a column definition. */
function appliesInlineReferences({ flavor, serverVersion }: DdlOptions): boolean {
  return serverVersion >= (flavor === 'mariadb' ? 100_500 : 90_000)
}

const REFERENCE_OPTIONS: readonly string[] = ['CASCADE', 'RESTRICT', 'FULL', 'PARTIAL', 'SIMPLE']

/** Parses what follows REFERENCES: `table [(columns)] [MATCH …] [ON DELETE …] [ON UPDATE …]`. */
export function parseReferences(reader: TokenReader): void {
  reader.tableName()
  if (reader.is('(')) reader.skipParentheses()
  while (reader.accept('MATCH') || reader.accept('ON', 'DELETE') || reader.accept('ON', 'UPDATE')) {
    const isTwoWords = reader.accept('SET', 'NULL') || reader.accept('SET', 'DEFAULT') || reader.accept('NO', 'ACTION')
    if (!isTwoWords && reader.acceptAny(...REFERENCE_OPTIONS) === null) reader.fail('a reference option')
  }
}

/**
 * INVISIBLE, SRID n, ENGINE_ATTRIBUTE='…', options of MariaDB's engines (`name=value`), and attributes
 * of future servers: a word, optionally with `=` and a value, or with parentheses.
 */
function skipUnknownAttribute(reader: TokenReader): void {
  const { kind } = reader.peek()
  if (kind === 'symbol' || kind === 'end') reader.fail('a column attribute')
  reader.skip()
  if (reader.accept('=')) reader.value('the value of an attribute')
  else if (reader.is('(')) reader.skipParentheses()
}
