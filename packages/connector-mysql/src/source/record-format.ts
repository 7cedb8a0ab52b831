import { Schema, Schemas } from '@tributary/connect-api'
import type { RecordFormat, RecordFormatName } from '@tributary/connector-kit'
import type { SourceConstants, SourceField } from './source-field.ts'
import { SOURCE_FIELDS_V1 } from './source-fields-v1.ts'
import { SOURCE_FIELDS_V2 } from './source-fields-v2.ts'
import type { SourceInfo } from './source-info.ts'
import { sourceMaker } from './source-maker.ts'

/** The differences between the two forms of records (`source.struct.version`); ARCHITECTURE.md has the whole table. */
interface RecordForm {
  readonly fields: readonly SourceField[]
  readonly sourceVersion: number | null
  readonly envelopeVersion: number
  readonly transactionSchema: Schema | null
  readonly hasContextHeaders: boolean
}

/** As in Debezium's TransactionStructMaker; the block is null unless transaction metadata is requested. */
const transactionSchema = Schema.struct(
  [
    ['id', Schemas.string],
    ['total_order', Schemas.int64],
    ['data_collection_order', Schemas.int64],
  ],
  { name: 'event.block', version: 1, optional: true },
)

const FORMS: Readonly<Record<RecordFormatName, RecordForm>> = {
  /** Specified by docs/reference/record-format-v1.md. */
  v1: {
    fields: SOURCE_FIELDS_V1,
    sourceVersion: null,
    envelopeVersion: 1,
    transactionSchema: null,
    hasContextHeaders: false,
  },
  /** That of Debezium 3.6. */
  v2: {
    fields: SOURCE_FIELDS_V2,
    sourceVersion: 1,
    envelopeVersion: 2,
    transactionSchema,
    hasContextHeaders: true,
  },
}

export function recordFormat(
  name: RecordFormatName,
  sourceSchemaName: string,
  constants: SourceConstants,
): RecordFormat<SourceInfo> {
  const { fields, sourceVersion, envelopeVersion, transactionSchema: transaction, hasContextHeaders } = FORMS[name]
  const sourceSchema = Schema.struct(
    fields.map((field) => [field.name, field.schema] as const),
    { name: sourceSchemaName, ...(sourceVersion === null ? {} : { version: sourceVersion }) },
  )
  return {
    name,
    sourceSchema,
    hasContextHeaders,
    envelope: { version: envelopeVersion, sourceSchema, transactionSchema: transaction },
    source: sourceMaker(sourceSchema, fields, constants),
  }
}
