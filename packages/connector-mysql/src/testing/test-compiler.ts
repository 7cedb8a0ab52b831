import { Schemas } from '@tributary/connect-api'
import { TopicNaming } from '@tributary/connector-kit'
import { silentLogger } from '@tributary/support'
import { ColumnRules } from '../columns/column-rules.ts'
import { TableCompiler } from '../tables/captured-table.ts'

/** A compiler with the defaults of a connector whose `topic.prefix` is `p`. */
export function testCompiler(keptMax: number): TableCompiler {
  return new TableCompiler({
    naming: new TopicNaming({ prefix: 'p' }),
    values: {
      decimal: 'precise',
      timePrecision: 'adaptive_time_microseconds',
      bigintUnsigned: 'long',
      binary: 'bytes',
      adjustsTwoDigitYears: true,
    },
    columns: new ColumnRules({}),
    adjustSchemaName: (name) => name,
    adjustFieldName: (name) => name,
    envelope: { version: 1, sourceSchema: Schemas.string, transactionSchema: null },
    logger: silentLogger,
    keptMax,
  })
}
