import type { ConnectValue, SchemaOptions } from '@tributary/connect-api'
import type { Column } from '@tributary/connector-kit'
import { type ColumnType, hasCharset } from '@tributary/mysql'
import { unreachable } from '@tributary/support'
import { columnTypeOf } from '../schema/column-type-of.ts'
import { readDefaultValue } from '../schema/default-value.ts'
import { isNamedBoolean, isNamedReal } from '../schema/named-types.ts'
import type { ColumnMapping, TypeMapping } from './column-mapping.ts'
import {
  booleanMapping,
  decimalMapping,
  floatMapping,
  integerMapping,
  realMapping,
  yearMapping,
} from './number-mappings.ts'
import { addressMapping, uuidMapping } from './fixed-binary-mappings.ts'
import { geometryMapping, pointMapping } from './spatial-mappings.ts'
import { binaryMapping, bitMapping, enumMapping, jsonMapping, setMapping, textMapping } from './string-mappings.ts'
import { dateMapping, datetimeMapping, timeMapping, timestampMapping } from './temporal-mappings.ts'
import type { ValueOptions } from './value-options.ts'
import { vectorMapping } from './vector-mapping.ts'

/** How a column appears in events, or the part of its type that this version does not support: `the type X`. */
export type MappedColumn =
  | { readonly tag: 'mapped'; readonly mapping: ColumnMapping }
  | { readonly tag: 'unsupported'; readonly part: string }

export function mapColumn(column: Column, options: ValueOptions): MappedColumn {
  const type = columnTypeOf(column)
  const mapping = namedMapping(column) ?? mappingOf(type, options)
  if (mapping === null) return { tag: 'unsupported', part: partOf(type, column.typeName) }
  const defaultValue = defaultOf(column, type, mapping)
  const common: SchemaOptions = {
    optional: column.optional,
    ...(column.comment === null ? {} : { doc: column.comment }),
    ...(defaultValue === undefined ? {} : { defaultValue }),
  }
  // In a NOT NULL column, a value that cannot be represented becomes the default, else the fallback of the type.
  const fallback = column.optional ? null : (defaultValue ?? mapping.fallback)
  return {
    tag: 'mapped',
    mapping: {
      schema: mapping.schema(common),
      target: mapping.target(fallback),
      select: mapping.select ?? 'plain',
      ...(mapping.unavailable === undefined ? {} : { unavailable: mapping.unavailable }),
      isLossy: mapping.isLossy ?? false,
    },
  }
}

/**
 * The part of a type that `mapColumn` does not support; null when events have columns of this type.
 *
 * @param spelling as the catalogue has it
 */
export function unsupportedPart(type: ColumnType, spelling: string, options: ValueOptions): string | null {
  return mappingOf(type, options) === null ? partOf(type, spelling.toUpperCase()) : null
}

/** The mapping of a type that the server knows under another name. */
function namedMapping(column: Column): TypeMapping | null {
  if (isNamedBoolean(column)) return booleanMapping()
  return isNamedReal(column) ? realMapping() : null
}

function partOf({ name, charset }: ColumnType, spelling: string): string {
  return hasCharset(name) ? `the character set ${charset}` : `the type ${spelling}`
}

function mappingOf(type: ColumnType, options: ValueOptions): TypeMapping | null {
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'MEDIUMINT':
    case 'INT':
    case 'BIGINT':
      return integerMapping(type, options)
    case 'DECIMAL':
      return decimalMapping(type, options)
    case 'FLOAT':
    case 'DOUBLE':
      return floatMapping(type)
    case 'BIT':
      return bitMapping(type)
    case 'YEAR':
      return yearMapping()
    case 'DATE':
      return dateMapping(options)
    case 'TIME':
      return timeMapping(options)
    case 'DATETIME':
      return datetimeMapping(type, options)
    case 'TIMESTAMP':
      return timestampMapping(type)
    case 'JSON':
      return jsonMapping(options)
    case 'ENUM':
      return enumMapping(type, options)
    case 'SET':
      return setMapping(type, options)
    default:
      return stringMappingOf(type, options)
  }
}

function stringMappingOf(type: ColumnType, options: ValueOptions): TypeMapping | null {
  switch (type.name) {
    case 'CHAR':
    case 'VARCHAR':
    case 'TINYTEXT':
    case 'TEXT':
    case 'MEDIUMTEXT':
    case 'LONGTEXT':
      return textMapping(type, options)
    case 'BINARY':
    case 'VARBINARY':
    case 'TINYBLOB':
    case 'BLOB':
    case 'MEDIUMBLOB':
    case 'LONGBLOB':
      return binaryMapping(type, options)
    case 'VECTOR':
      return vectorMapping()
    case 'UUID':
      return uuidMapping()
    case 'INET4':
      return addressMapping('inet4')
    case 'INET6':
      return addressMapping('inet6')
    case 'POINT':
      return pointMapping()
    case 'GEOMETRY':
    case 'LINESTRING':
    case 'POLYGON':
    case 'MULTIPOINT':
    case 'MULTILINESTRING':
    case 'MULTIPOLYGON':
    case 'GEOMETRYCOLLECTION':
      return geometryMapping()
    default:
      // UNKNOWN
      return null
  }
}

/** The default of the schema: the value of a DEFAULT literal; undefined for expressions and NULL. */
function defaultOf(column: Column, type: ColumnType, mapping: TypeMapping): Exclude<ConnectValue, null> | undefined {
  const literal = readDefaultValue(column)
  switch (literal.tag) {
    case 'none':
      return undefined
    case 'bytes':
      return mapping.bytesDefault?.(literal.bytes) ?? undefined
    case 'text':
      if (isTemporal(type) && NOW.test(literal.text)) return nowDefault(column, type, mapping)
      return mapping.parseDefault(literal.text) ?? zeroDateDefault(column, type, mapping)
    default:
      return unreachable(literal)
  }
}

const NOW = /^(current_timestamp|now|localtime|localtimestamp)\b/i

/**
 * A schema cannot represent CURRENT_TIMESTAMP as a default. The reference uses the epoch for DATETIME, and for NOT NULL
 * columns of TIMESTAMP. Schemas must be equal to those of the reference, so this does too.
 */
function nowDefault(column: Column, type: ColumnType, mapping: TypeMapping): Exclude<ConnectValue, null> | undefined {
  if (type.name === 'DATETIME') return mapping.fallback ?? undefined
  return type.name === 'TIMESTAMP' && !column.optional ? (mapping.fallback ?? undefined) : undefined
}

/** A default date that does not exist is omitted for a nullable column, and the epoch for a NOT NULL column. */
function zeroDateDefault(
  column: Column,
  type: ColumnType,
  mapping: TypeMapping,
): Exclude<ConnectValue, null> | undefined {
  return isTemporal(type) && !column.optional ? (mapping.fallback ?? undefined) : undefined
}

function isTemporal({ name }: ColumnType): boolean {
  return name === 'DATE' || name === 'DATETIME' || name === 'TIMESTAMP'
}
