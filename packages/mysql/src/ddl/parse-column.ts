import { assembleType, noModifiers, parseTypeHead, parseTypeModifier } from './parse-column-type.ts'
import { parseDefaultValue } from './parse-default-value.ts'
import type { ColumnDefinition, ColumnPosition, DefaultValue } from './statement.ts'
import type { TokenReader } from './token-reader.ts'

/** What the attributes behind a column's type say. */
interface Attributes {
  isNullable: boolean | null
  defaultValue: DefaultValue | null
  isUpdatedAutomatically: boolean
  isAutoIncrement: boolean
  isPrimaryKey: boolean
  isUnique: boolean
  isForeignKey: boolean
  isGenerated: boolean
  isRowPeriodEdge: boolean
  comment: string | null
}

/** Reads a column definition, name and type and attributes, up to the comma, the parenthesis or the position behind it. */
export function parseColumn(reader: TokenReader): ColumnDefinition {
  const name = reader.columnName()
  const head = parseTypeHead(reader)
  const isSerial = head.words === 'SERIAL'
  const modifiers = noModifiers()
  const attributes: Attributes = {
    isNullable: isSerial ? false : null,
    defaultValue: null,
    isUpdatedAutomatically: false,
    isAutoIncrement: isSerial,
    isPrimaryKey: false,
    isUnique: isSerial,
    isForeignKey: false,
    isGenerated: false,
    isRowPeriodEdge: false,
    comment: null,
  }
  while (!isBehindColumn(reader)) {
    if (!parseTypeModifier(reader, modifiers) && !parseAttribute(reader, attributes)) skipUnknownAttribute(reader)
  }
  const { type, spelling } = assembleType(head, modifiers, reader.options)
  return { name, type, typeSpelling: spelling, ...attributes }
}

/** FIRST, AFTER column, or nothing. */
export function parsePosition(reader: TokenReader): ColumnPosition | null {
  if (reader.accept('FIRST')) return { tag: 'first' }
  return reader.accept('AFTER') ? { tag: 'after', column: reader.columnName() } : null
}

function isBehindColumn(reader: TokenReader): boolean {
  return reader.isAtEnd || reader.is(',') || reader.is(')') || reader.is('FIRST') || reader.is('AFTER')
}

/** Takes one attribute that changes the column or is easily mistaken for one that does. */
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
      return true
    case 'COMMENT':
      reader.skip()
      reader.accept('=')
      attributes.comment = reader.string('a comment')
      return true
    case 'CONSTRAINT':
    case 'CHECK':
      return parseCheck(reader)
    case 'GENERATED':
    case 'AS':
      return parseGenerated(reader, attributes)
    default:
      return parseKeyAttribute(reader, attributes)
  }
}

function parseKeyAttribute(reader: TokenReader, attributes: Attributes): boolean {
  switch (reader.peek().keyword) {
    case 'SERIAL':
      reader.expect('SERIAL', 'DEFAULT', 'VALUE')
      attributes.isAutoIncrement = true
      attributes.isNullable = false
      attributes.isUnique = true
      return true
    case 'UNIQUE':
      reader.skip()
      reader.accept('KEY')
      attributes.isUnique = true
      return true
    case 'PRIMARY':
      reader.skip()
      reader.accept('KEY')
      attributes.isPrimaryKey = true
      return true
    case 'KEY':
      reader.skip()
      attributes.isPrimaryKey = true
      return true
    case 'REFERENCES':
      reader.skip()
      parseReferences(reader)
      attributes.isForeignKey = true
      return true
    default:
      return false
  }
}

/** `[CONSTRAINT [name]] CHECK (…) [[NOT] ENFORCED]` */
function parseCheck(reader: TokenReader): boolean {
  if (reader.accept('CONSTRAINT') && !reader.is('CHECK')) reader.name('a constraint name')
  // The name of another inline constraint: the attribute behind it is read next.
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
    if (reader.acceptAny('START', 'END') === null) reader.fail('START or END')
    attributes.isRowPeriodEdge = true
  } else {
    reader.skipParentheses()
    attributes.isGenerated = true
  }
  return true
}

const REFERENCE_OPTIONS: readonly string[] = ['CASCADE', 'RESTRICT', 'FULL', 'PARTIAL', 'SIMPLE']

/** Behind REFERENCES: `table [(columns)] [MATCH …] [ON DELETE …] [ON UPDATE …]`. */
export function parseReferences(reader: TokenReader): void {
  reader.tableName()
  if (reader.is('(')) reader.skipParentheses()
  while (reader.accept('MATCH') || reader.accept('ON', 'DELETE') || reader.accept('ON', 'UPDATE')) {
    const isTwoWords = reader.accept('SET', 'NULL') || reader.accept('SET', 'DEFAULT') || reader.accept('NO', 'ACTION')
    if (!isTwoWords && reader.acceptAny(...REFERENCE_OPTIONS) === null) reader.fail('what to do with references')
  }
}

/**
 * INVISIBLE, COLUMN_FORMAT x, STORAGE x, SRID n, COMPRESSED[=x], WITH SYSTEM VERSIONING, ENGINE_ATTRIBUTE='…', options of
 * MariaDB's engines (`name=value`), and what future servers bring: a word, and an equals sign with a value or parentheses.
 */
function skipUnknownAttribute(reader: TokenReader): void {
  const { kind } = reader.peek()
  if (kind === 'symbol' || kind === 'end') reader.fail('a column attribute')
  reader.skip()
  if (reader.accept('=')) reader.value('the value of an attribute')
  else if (reader.is('(')) reader.skipParentheses()
}
