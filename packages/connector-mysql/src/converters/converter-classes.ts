import type { ConfigMap } from '@tributary/connect-api'
import type { ColumnConverter } from './column-converter.ts'
import { JdbcSinkDataTypes } from './jdbc-sink-data-types.ts'
import { TinyIntOneToBoolean } from './tiny-int-one-to-boolean.ts'
import { ZeroDateFallback } from './zero-date-fallback.ts'

/** A converter of Debezium. */
export interface ConverterClass {
  /** The Java class; the others are its former names. */
  readonly classNames: readonly string[]
  /** Options that contain regular expressions. */
  readonly selectors: readonly string[]
  /** The other options. */
  readonly options: readonly string[]
  create(options: ConfigMap): ColumnConverter
}

const BINLOG = 'io.debezium.connector.binlog.converters'
const MYSQL = 'io.debezium.connector.mysql.converters'

export const converterClasses: readonly ConverterClass[] = [
  {
    classNames: [`${BINLOG}.TinyIntOneToBooleanConverter`, `${MYSQL}.TinyIntOneToBooleanConverter`],
    selectors: ['selector'],
    options: ['length.checker'],
    create: (options) => new TinyIntOneToBoolean(options),
  },
  {
    classNames: [`${BINLOG}.JdbcSinkDataTypesConverter`, `${MYSQL}.JdbcSinkDataTypesConverter`],
    selectors: ['selector.boolean', 'selector.real', 'selector.string'],
    options: ['treat.real.as.double'],
    create: (options) => new JdbcSinkDataTypes(options),
  },
  {
    classNames: [`${BINLOG}.ZeroDateFallbackConverter`],
    selectors: ['selector'],
    options: ['target.types', 'fallback.date', 'fallback.datetime', 'fallback.timestamp'],
    create: (options) => new ZeroDateFallback(options),
  },
]

/** The class of that name; null when Tributary does not have it. */
export function converterClassOf(name: string | undefined): ConverterClass | null {
  const wanted = name?.trim() ?? ''
  return converterClasses.find(({ classNames }) => classNames.includes(wanted)) ?? null
}
