import { type ConfigMap, Schemas } from '@tributary/connect-api'
import { TopicNaming } from '@tributary/connector-kit'
import { type Logger, silentLogger } from '@tributary/support'
import { ColumnRules } from '../columns/column-rules.ts'
import { ColumnConverters } from '../converters/column-converters.ts'
import { TableCompiler } from '../tables/captured-table.ts'

export interface TestCompilerOptions {
  readonly keptMax?: number
  /** Of the connector: columns and converters. */
  readonly properties?: ConfigMap
  readonly logger?: Logger
}

/** A compiler with the defaults of a connector whose `topic.prefix` is `p`. */
export function testCompiler({ keptMax, properties = {}, logger = silentLogger }: TestCompilerOptions): TableCompiler {
  return new TableCompiler({
    naming: new TopicNaming({ prefix: 'p' }),
    values: {
      decimal: 'precise',
      timePrecision: 'adaptive_time_microseconds',
      bigintUnsigned: 'long',
      binary: 'bytes',
      adjustsTwoDigitYears: true,
      unavailable: Buffer.from('__debezium_unavailable_value'),
    },
    allowsRawColumns: false,
    logsVirtualColumns: true,
    columns: new ColumnRules(properties),
    converters: new ColumnConverters(properties),
    adjustSchemaName: (name) => name,
    adjustFieldName: (name) => name,
    envelope: { version: 1, sourceSchema: Schemas.string, transactionSchema: null },
    logger,
    ...(keptMax === undefined ? {} : { keptMax }),
  })
}
