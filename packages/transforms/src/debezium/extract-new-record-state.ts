import {
  type ConfigMap,
  type ConfigValues,
  type ConnectValue,
  EncodedText,
  type Header,
  type Schema,
  Schemas,
  type SourceRecord,
  type StageContext,
  Struct,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { withHeaders, withTopic, withValue } from '../stage/changed-record.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { basicsOf, StructEdit, type StructPlan } from '../stage/struct-edit.ts'
import { TRANSFORMS_VERSION } from '../version.ts'
import { DropFields } from './drop-fields.ts'
import { envelopeOf } from './envelope.ts'
import { type EventField, locateField, type LocatedField, parseEventFields } from './event-field.ts'
import { DELETE_HANDLING, type DeleteHandling } from './delete-handling.ts'
import { type DeleteMode, extractNewRecordStateConfig } from './extract-new-record-state-config.ts'
import { readOldOptions, unwrapFromEnvelopeConfig } from './unwrap-from-envelope.ts'

/** How events of one envelope schema are unwrapped. */
interface UnwrapPlan {
  readonly before: number
  readonly after: number
  /** The schema of both images: that of a tombstone's null. */
  readonly rowSchema: Schema
  readonly headers: readonly LocatedField[]
  readonly images: SchemaMemo<ImagePlan>
}

/** How images of one row schema become values. Before and after have the same one. */
interface ImagePlan {
  readonly struct: StructPlan
  readonly added: readonly LocatedField[]
}

/**
 * Debezium's ExtractNewRecordState: replaces a change event by the row after the change, with fields of the event if
 * wanted. Values of rows stay bytes of the source.
 */
class ExtractNewRecordState implements Transformation {
  readonly #isOldName: boolean
  #deletes: DeleteHandling = DELETE_HANDLING.tombstone
  #routeField = ''
  #fields: readonly EventField[] = []
  #headers: readonly EventField[] = []
  #replacesNull = true
  #drop: DropFields | null = null
  readonly #plans = new SchemaMemo((schema) => this.#planOf(schema))

  /** `isOldName`: the class is UnwrapFromEnvelope, with the defaults before Debezium 1.0. */
  constructor(isOldName: boolean) {
    this.#isOldName = isOldName
  }

  configure(options: ConfigMap, context: StageContext): void {
    const values = unwrapFromEnvelopeConfig.parse(options)
    this.#deletes = DELETE_HANDLING[values.string('delete.tombstone.handling.mode').toLowerCase() as DeleteMode]
    this.#routeField = values.optionalString('route.by.field') ?? ''
    this.#fields = eventFields(values, 'add.fields')
    this.#headers = eventFields(values, 'add.headers')
    // Debezium reads it, but its definition does not list it.
    this.#replacesNull = options['replace.null.with.default']?.trim().toLowerCase() !== 'false'
    this.#drop = DropFields.of(values)
    this.#addOldOptions(options, values, context)
  }

  #addOldOptions(options: ConfigMap, values: ConfigValues, context: StageContext): void {
    const old = readOldOptions(options, values, { ...context, isOldName: this.#isOldName })
    this.#deletes = old.deletes ?? this.#deletes
    this.#fields = [...this.#fields, ...old.fields]
    this.#headers = [...this.#headers, ...old.headers]
  }

  apply(record: SourceRecord): SourceRecord | null {
    if (record.value === null) return this.#tombstone(record)
    const event = envelopeOf(record)
    if (event === null) return record
    const plan = this.#plans.of(event.schema)
    const headed = plan.headers.length === 0 ? record : withHeaders(record, addedHeaders(record, event, plan.headers))
    const after = event.at(plan.after)
    if (after instanceof Struct) return this.#present(headed, event, plan, after)
    const before = event.at(plan.before)
    if (before instanceof Struct) return this.#deleted(headed, event, plan, before)
    // Neither: the table was truncated, or the binlog does not have the row that was deleted.
    return isDelete(event) ? this.#deletedUnknown(headed, plan) : null
  }

  /** A row that is not known has no fields: as a deleted row that is rewritten, it is a tombstone, as in Debezium. */
  #deletedUnknown(record: SourceRecord, plan: UnwrapPlan): SourceRecord | null {
    const { ofDeletes } = this.#deletes
    if (ofDeletes === 'drop') return null
    if (this.#routeField !== '') throw transformErrors.NOT_A_FIELD({ name: this.#routeField })
    return withValue(record, ofDeletes === 'null' ? plan.rowSchema : null, null)
  }

  /** Debezium's tombstone after a delete. */
  #tombstone(record: SourceRecord): SourceRecord | null {
    if (!this.#deletes.keepsTombstones) return null
    const operation = this.#headers.find(({ field }) => field === 'op')
    if (operation === undefined) return record
    return withHeaders(record, [...record.headers, { key: operation.newName, schema: Schemas.string, value: 'd' }])
  }

  #present(record: SourceRecord, event: Struct, plan: UnwrapPlan, row: Struct): SourceRecord {
    const value = this.#value(event, plan, row, 'false')
    const unwrapped = withValue(this.#routed(record, row), value.schema, value)
    return this.#drop === null ? unwrapped : this.#drop.apply(unwrapped, NO_NAMES)
  }

  #deleted(record: SourceRecord, event: Struct, plan: UnwrapPlan, row: Struct): SourceRecord | null {
    const { ofDeletes } = this.#deletes
    if (ofDeletes === 'drop') return null
    const routed = this.#routed(record, row)
    if (ofDeletes === 'rewrite') {
      const value = this.#value(event, plan, row, 'true')
      const rewritten = withValue(routed, value.schema, value)
      // Debezium drops fields of a deleted row before it adds fields.
      return this.#drop === null ? rewritten : this.#drop.apply(rewritten, this.#fields)
    }
    const tombstone = withValue(routed, ofDeletes === 'null' ? plan.rowSchema : null, null)
    return this.#drop === null ? tombstone : this.#drop.apply(tombstone, NO_NAMES)
  }

  #value(event: Struct, plan: UnwrapPlan, row: Struct, deleted: string): Struct {
    const { struct, added } = plan.images.of(row.schema)
    const own: ConnectValue[] = this.#deletes.ofDeletes === 'rewrite' ? [deleted] : []
    for (const field of added) own.push(field.read(event))
    return struct.make(row, own)
  }

  /** The topic is the value of a field of the row, unless that is empty. */
  #routed(record: SourceRecord, row: Struct): SourceRecord {
    if (this.#routeField === '') return record
    const field = row.schema.field(this.#routeField)
    if (field === null) throw transformErrors.NOT_A_FIELD({ name: this.#routeField })
    if (field.schema.type !== 'string') throw transformErrors.FIELD_NOT_OF_TYPE({ name: field.name, type: 'STRING' })
    const topic = textOf(row.at(field.index))
    return topic.trim() === '' ? record : withTopic(record, topic)
  }

  #planOf(envelope: Schema): UnwrapPlan {
    const before = envelope.field('before')
    const after = envelope.field('after')
    if (before === null || after === null)
      throw transformErrors.NOT_A_FIELD({ name: before === null ? 'before' : 'after' })
    const added = located(this.#fields, envelope)
    return {
      before: before.index,
      after: after.index,
      rowSchema: after.schema,
      headers: located(this.#headers, envelope),
      images: new SchemaMemo((schema) => this.#imagePlanOf(schema, added)),
    }
  }

  #imagePlanOf(row: Schema, added: readonly LocatedField[]): ImagePlan {
    const edit = new StructEdit(basicsOf(row))
    const isRewritten = this.#deletes.ofDeletes === 'rewrite'
    for (const field of row.fields) {
      if (isRewritten && this.#replacesNull) edit.keepWithDefault(field)
      else edit.keep(field)
    }
    if (isRewritten) edit.add('__deleted', Schemas.optionalString)
    for (const { newName, schema } of added) edit.add(newName, schema)
    return { struct: edit.build(), added }
  }
}

function eventFields(values: ConfigValues, option: 'add.fields' | 'add.headers'): readonly EventField[] {
  return parseEventFields(option, values.optionalString(`${option}.prefix`) ?? '', values.list(option))
}

function located(fields: readonly EventField[], envelope: Schema): readonly LocatedField[] {
  return fields.map((field) => locateField(field, envelope)).filter((field) => field !== null)
}

function isDelete(event: Struct): boolean {
  const field = event.schema.field('op')
  return field !== null && textOf(event.at(field.index)) === 'd'
}

function addedHeaders(record: SourceRecord, event: Struct, fields: readonly LocatedField[]): readonly Header[] {
  const added = fields.map(({ newName, schema, read }): Header => ({ key: newName, schema, value: read(event) }))
  return [...record.headers, ...added]
}

function textOf(value: ConnectValue): string {
  if (typeof value === 'string') return value
  return value instanceof EncodedText ? value.toString() : ''
}

const NO_NAMES: readonly EventField[] = []

export const extractNewRecordStatePlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.ExtractNewRecordState',
  version: TRANSFORMS_VERSION,
  config: extractNewRecordStateConfig,
  create: () => new ExtractNewRecordState(false),
}

/** The same under its name before Debezium 1.0. */
export const unwrapFromEnvelopePlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.UnwrapFromEnvelope',
  version: TRANSFORMS_VERSION,
  config: unwrapFromEnvelopeConfig,
  create: () => new ExtractNewRecordState(true),
}
