import { Schema, TemplateStruct } from '@tributary/connect-api'
import { type RecordFormat, type RecordFormatName, transactionBlockSchema } from '@tributary/connector-kit'
import { assert } from '@tributary/support'
import type { SourceConstants, SourceField } from './source-field.ts'
import { SOURCE_FIELDS_V1 } from './source-fields-v1.ts'
import { QUERY_FIELD, SOURCE_FIELDS_V2 } from './source-fields-v2.ts'
import type { SourceInfo } from './source-info.ts'
import { SourceMaker } from './source-maker.ts'

/** The differences between the two forms of records (`source.struct.version`); ARCHITECTURE.md has the whole table. */
interface RecordForm {
  readonly fields: readonly SourceField[]
  readonly sourceVersion: number | null
  readonly envelopeVersion: number
  /** The envelope has the block of transaction metadata also without these. */
  readonly alwaysHasTransaction: boolean
  readonly hasContextHeaders: boolean
}

const FORMS: Readonly<Record<RecordFormatName, RecordForm>> = {
  /** Specified by docs/reference/record-format-v1.md. */
  v1: {
    fields: SOURCE_FIELDS_V1,
    sourceVersion: null,
    envelopeVersion: 1,
    alwaysHasTransaction: false,
    hasContextHeaders: false,
  },
  /** That of Debezium 3.6. */
  v2: {
    fields: SOURCE_FIELDS_V2,
    sourceVersion: 1,
    envelopeVersion: 2,
    alwaysHasTransaction: true,
    hasContextHeaders: true,
  },
}

/** What the connector is configured to add to events. */
export interface FormatOptions {
  readonly sourceSchemaName: string
  readonly constants: SourceConstants
  /** `provide.transaction.metadata` */
  readonly hasTransactions: boolean
  /** `include.query` */
  readonly hasQueries: boolean
}

export function recordFormat(
  name: RecordFormatName,
  { sourceSchemaName, constants, hasTransactions, hasQueries }: FormatOptions,
): RecordFormat<SourceInfo> {
  const { fields: ownFields, sourceVersion, envelopeVersion, alwaysHasTransaction, hasContextHeaders } = FORMS[name]
  const transactionSchema = alwaysHasTransaction || hasTransactions ? transactionBlockSchema : null
  const fields = hasQueries && !ownFields.includes(QUERY_FIELD) ? [...ownFields, QUERY_FIELD] : ownFields
  const sourceSchema = Schema.struct(
    fields.map((field) => [field.name, field.schema] as const),
    { name: sourceSchemaName, ...(sourceVersion === null ? {} : { version: sourceVersion }) },
  )
  const maker = new SourceMaker(sourceSchema, fields, constants)
  return {
    name,
    sourceSchema,
    hasContextHeaders,
    envelope: { version: envelopeVersion, sourceSchema, transactionSchema },
    source: (info) => maker.source(info),
    sourceOfRow: (source, row) => {
      assert(source instanceof TemplateStruct, 'the source block is one of this format')
      return maker.ofRow(source, row)
    },
  }
}
