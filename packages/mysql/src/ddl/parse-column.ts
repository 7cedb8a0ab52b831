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
  if (reader.accept('NOT', 'NULL')) attributes.isNullable = false
  else if (reader.accept('NULL')) attributes.isNullable = true
  else if (reader.accept('DEFAULT')) attributes.defaultValue = parseDefaultValue(reader)
  else if (reader.accept('ON', 'UPDATE')) {
    parseDefaultValue(reader)
    attributes.isUpdatedAutomatically = true
  } else if (reader.accept('AUTO_INCREMENT')) attributes.isAutoIncrement = true
  else if (reader.accept('SERIAL', 'DEFAULT', 'VALUE')) {
    attributes.isAutoIncrement = true
    attributes.isNullable = false
    attributes.isUnique = true
  } else if (reader.accept('UNIQUE')) {
    reader.accept('KEY')
    attributes.isUnique = true
  } else if (reader.accept('PRIMARY')) {
    reader.accept('KEY')
    attributes.isPrimaryKey = true
  } else if (reader.accept('KEY')) attributes.isPrimaryKey = true
  else if (reader.accept('COMMENT')) {
    reader.accept('=')
    attributes.comment = reader.string('a comment')
  } else if (reader.accept('REFERENCES')) {
    parseReferences(reader)
    attributes.isForeignKey = true
  } else return parseConstraint(reader) || parseGenerated(reader, attributes)
  return true
}

/** `[CONSTRAINT [name]] CHECK (…) [[NOT] ENFORCED]` */
function parseConstraint(reader: TokenReader): boolean {
  if (reader.accept('CONSTRAINT')) {
    if (!reader.is('CHECK')) reader.name('a constraint name')
    return true
  }
  if (!reader.accept('CHECK')) return false
  reader.skipParentheses()
  if (!reader.accept('NOT', 'ENFORCED')) reader.accept('ENFORCED')
  return true
}

/** `[GENERATED ALWAYS] AS (…) [VIRTUAL|STORED|PERSISTENT]`; MariaDB: `GENERATED ALWAYS AS ROW {START|END}`. */
function parseGenerated(reader: TokenReader, attributes: Attributes): boolean {
  if (reader.accept('GENERATED')) {
    reader.acceptAny('ALWAYS', 'BY')
    reader.accept('DEFAULT')
  } else if (!reader.is('AS')) return false
  reader.expect('AS')
  if (reader.accept('ROW')) {
    reader.acceptAny('START', 'END')
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
