import {
  ConfigDef,
  derive,
  ownField,
  type Schema,
  type SourceRecord,
  StructDerivation,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { withValue } from '../stage/changed-record.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { textOf } from '../stage/text-of.ts'
import { TRANSFORMS_VERSION } from '../version.ts'
import { envelopeOf } from './envelope.ts'

const config = new ConfigDef([])

/** The field `op` of an envelope, and the envelope with another one. */
interface OperationPlan {
  readonly index: number
  readonly derivation: StructDerivation
}

/** Debezium's ReadToInsertEvent: events of a snapshot become inserts. */
class ReadToInsertEvent implements Transformation {
  readonly #plans = new SchemaMemo(planOf)

  configure(): void {}

  apply(record: SourceRecord): SourceRecord {
    const event = envelopeOf(record)
    if (event === null) return record
    const { index, derivation } = this.#plans.of(event.schema)
    if (textOf(event.at(index)) !== 'r') return record
    return withValue(record, record.valueSchema, derive(derivation, event, ['c']))
  }
}

function planOf(schema: Schema): OperationPlan {
  const field = schema.field('op')
  if (field === null) throw transformErrors.NOT_A_FIELD({ name: 'op' })
  const sources = schema.fields.map(({ index }) => (index === field.index ? ownField(0) : index))
  return { index: field.index, derivation: new StructDerivation(schema, sources) }
}

export const readToInsertEventPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.connector.mysql.transforms.ReadToInsertEvent',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new ReadToInsertEvent(),
}
