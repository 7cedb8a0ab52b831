import type { ConnectValue, Schema, Struct } from '@tributary/connect-api'
import { StructEdit, type StructPlan } from '../../stage/struct-edit.ts'
import type { Columns } from './outbox-columns.ts'
import type { ExpandedPayload } from './json-payload.ts'

/** Makes values of a payload and additional columns, from rows of one schema. */
export class EventEnvelope {
  readonly #row: Schema
  readonly #columns: Columns
  /** By topic and version, then by the schema of the payload. */
  #plans = new Map<string, WeakMap<Schema, StructPlan>>()

  constructor(row: Schema, columns: Columns) {
    this.#row = row
    this.#columns = columns
  }

  /** `expanded`: what the payload was expanded to; null: it is that of the row. */
  make(row: Struct, topic: string, expanded: ExpandedPayload | null): Struct {
    const version = this.#version(row)
    const schema = expanded?.schema ?? this.#columns.payload.schema
    const key = `${version ?? ''}/${topic}`
    let plans = this.#plans.get(key)
    if (plans === undefined) {
      plans = new WeakMap()
      if (this.#plans.size >= TOPICS_MAX) this.#plans = new Map()
      this.#plans.set(key, plans)
    }
    let plan = plans.get(schema)
    if (plan === undefined) {
      plan = this.#planOf(topic, version, expanded)
      plans.set(schema, plan)
    }
    const added: ConnectValue[] = expanded === null ? [] : [expanded.value]
    return plan.make(row, added)
  }

  #version(row: Struct): number | null {
    const { version } = this.#columns
    const value = version === null ? null : row.at(version.index)
    return typeof value === 'number' ? value : null
  }

  #planOf(topic: string, version: number | null, expanded: ExpandedPayload | null): StructPlan {
    const name = schemaName(this.#row.name, topic)
    const edit = new StructEdit({ name, ...(version === null ? {} : { version }) })
    if (expanded === null) edit.keepWithDefault(this.#columns.payload, { name: 'payload' })
    else edit.add('payload', expanded.schema)
    for (const { field, newName } of this.#columns.envelope) edit.keepWithDefault(field, { name: newName })
    return edit.build()
  }
}

/** The topic before the last part of the name of the row’s schema. */
function schemaName(rowName: string | null, topic: string): string {
  if (rowName === null) return topic
  const lastDot = rowName.lastIndexOf('.')
  return `${rowName.slice(0, lastDot + 1)}${topic}.${rowName.slice(lastDot + 1)}`
}

/** Topics come from data; most outboxes have fewer than a hundred. */
const TOPICS_MAX = 1_000
