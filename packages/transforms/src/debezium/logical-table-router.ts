import {
  type ConfigDef,
  type ConfigMap,
  type ConfigValues,
  type ConnectValue,
  derive,
  type Field,
  nameAdjuster,
  type NameAdjuster,
  type NameAdjustment,
  Schema,
  type SchemaOptions,
  Schemas,
  type SourceRecord,
  type StageContext,
  Struct,
  StructDerivation,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import type { Logger } from '@tributary/support'
import { transformErrors } from '../errors.ts'
import { javaClassName } from '../stage/java-class.ts'
import { compilePattern, compileReplacement } from '../stage/pattern-options.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { basicsOf, StructEdit, type StructPlan } from '../stage/struct-edit.ts'
import { TopicMemo } from '../stage/topic-memo.ts'
import { TRANSFORMS_VERSION } from '../version.ts'
import { envelopeOf } from './envelope.ts'
import { byLogicalTableRouterConfig, toLogicalTopicRouterConfig } from './logical-table-router-config.ts'

interface Route {
  /** Null: records stay as they are. */
  readonly newTopic: string | null
  readonly keys: SchemaMemo<StructPlan>
  readonly envelopes: SchemaMemo<EnvelopePlan>
}

interface EnvelopePlan {
  readonly struct: StructPlan
  readonly images: readonly Field[]
  readonly rows: SchemaMemo<StructDerivation>
}

/**
 * Debezium's ByLogicalTableRouter: sends the events of several tables, such as shards, to one topic, with schemas named
 * after it and keys that contain the table.
 */
class LogicalTableRouter implements Transformation {
  readonly #config: ConfigDef
  #adjust: NameAdjuster = (name) => name
  #keyField: string | null = null
  #rename: (topic: string) => string | null = () => null
  #identify: (topic: string) => string = (topic) => topic
  #logger: Logger | null = null
  #routes = new Map<string, Route>()
  readonly #identifiers = new TopicMemo((topic) => this.#identify(topic))

  constructor(config: ConfigDef) {
    this.#config = config
  }

  configure(options: ConfigMap, { logger }: StageContext): void {
    const values = this.#config.parse(options)
    this.#adjust = nameAdjuster(values.string('schema.name.adjustment.mode').toLowerCase() as NameAdjustment, 'schema')
    this.#keyField = values.boolean('key.enforce.uniqueness') ? values.string('key.field.name') : null
    this.#rename = topicRoute(values)
    this.#identify = tableIdentifier(values)
    this.#logger = logger
  }

  apply(record: SourceRecord): SourceRecord {
    const { topic } = record
    const route = this.#routeOf(topic)
    const { newTopic } = route
    if (newTopic === null) return record
    const key = this.#key(route, record)
    const event = envelopeOf(record)
    const value = event === null ? record.value : relabelled(event, route.envelopes.of(event.schema))
    return {
      sourcePartition: record.sourcePartition,
      sourceOffset: record.sourceOffset,
      topic: newTopic,
      partition: record.partition,
      keySchema: key === null ? null : key.schema,
      key,
      valueSchema: value instanceof Struct ? value.schema : record.valueSchema,
      value,
      timestamp: record.timestamp,
      headers: record.headers,
    }
  }

  #key(route: Route, { key, keySchema, topic }: SourceRecord): Struct | null {
    if (key === null) return null
    if (!(key instanceof Struct)) {
      throw transformErrors.NOT_A_STRUCT({ purpose: 'Updating schema', found: javaClassName(keySchema, key) })
    }
    return route.keys.of(key.schema).make(key, this.#keyField === null ? [] : [this.#identifiers.of(topic)])
  }

  #routeOf(topic: string): Route {
    let route = this.#routes.get(topic)
    if (route === undefined) {
      route = this.#newRoute(topic)
      if (this.#routes.size >= TOPICS_MAX) this.#routes = new Map()
      this.#routes.set(topic, route)
    }
    return route
  }

  #newRoute(topic: string): Route {
    const renamed = this.#rename(topic)
    if (renamed === '') this.#logger?.warn('the new name of a topic is empty: its records keep their topic', { topic })
    const newTopic = renamed === '' ? null : renamed
    return {
      newTopic,
      keys: new SchemaMemo((schema) => this.#keyPlan(schema, newTopic ?? topic)),
      envelopes: new SchemaMemo((schema) => this.#envelopePlan(schema, newTopic ?? topic)),
    }
  }

  #keyPlan(schema: Schema, topic: string): StructPlan {
    const edit = new StructEdit(this.#renamed(schema, `${topic}.Key`))
    for (const field of schema.fields) edit.keep(field)
    if (this.#keyField !== null) {
      if (edit.has(this.#keyField)) throw transformErrors.FIELD_EXISTS({ name: this.#keyField })
      edit.add(this.#keyField, Schemas.string)
    }
    return edit.build()
  }

  #envelopePlan(schema: Schema, topic: string): EnvelopePlan {
    const before = schema.field('before')
    if (before === null) throw transformErrors.NOT_A_FIELD({ name: 'before' })
    const fields = before.schema.fields.map((field) => [field.name, field.schema] as const)
    const row = Schema.struct(fields, this.#renamed(before.schema, `${topic}.Value`))
    const edit = new StructEdit(this.#renamed(schema, `${topic}.Envelope`))
    const images: Field[] = []
    for (const field of schema.fields) {
      if (field.name === 'before' || field.name === 'after') {
        images.push(field)
        edit.add(field.name, row)
      } else edit.keepWithDefault(field)
    }
    return { struct: edit.build(), images, rows: new SchemaMemo((old) => sameFields(old, row)) }
  }

  #renamed(schema: Schema, name: string): SchemaOptions {
    return { ...basicsOf(schema), optional: schema.isOptional, name: this.#adjust(name) }
  }
}

/** As many tables as large connectors capture; a route takes a few kilobytes. */
const TOPICS_MAX = 10_000

/** The same fields of a row with another name of the schema. */
function sameFields(old: Schema, renamed: Schema): StructDerivation {
  const sources = renamed.fields.map(({ name }) => {
    const field = old.field(name)
    if (field === null) throw transformErrors.NOT_A_FIELD({ name })
    return field.index
  })
  return new StructDerivation(renamed, sources, 0)
}

function relabelled(event: Struct, { struct, images, rows }: EnvelopePlan): Struct {
  const own = images.map(({ index }): ConnectValue => {
    const row = event.at(index)
    return row instanceof Struct ? derive(rows.of(row.schema), row, []) : row
  })
  return struct.make(event, own)
}

function topicRoute(values: ConfigValues): (topic: string) => string | null {
  const pattern = compilePattern('topic.regex', values.string('topic.regex'))
  const replacement = compileReplacement('topic.replacement', values.string('topic.replacement'), pattern)
  return (topic) => (pattern.matches(topic) ? replacement.replaceFirst(topic) : null)
}

function tableIdentifier(values: ConfigValues): (topic: string) => string {
  const regex = values.optionalString('key.field.regex') ?? ''
  if (regex === '') return (topic) => topic
  const pattern = compilePattern('key.field.regex', regex)
  const text = values.optionalString('key.field.replacement') ?? ''
  const replacement = compileReplacement('key.field.replacement', text, pattern)
  return (topic) => (pattern.matches(topic) ? replacement.replaceFirst(topic) : topic)
}

export const byLogicalTableRouterPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.ByLogicalTableRouter',
  version: TRANSFORMS_VERSION,
  config: byLogicalTableRouterConfig,
  create: () => new LogicalTableRouter(byLogicalTableRouterConfig),
}

/** The successor of the class in versions after 3.6. */
export const toLogicalTopicRouterPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.ToLogicalTopicRouter',
  version: TRANSFORMS_VERSION,
  config: toLogicalTopicRouterConfig,
  create: () => new LogicalTableRouter(toLogicalTopicRouterConfig),
}
