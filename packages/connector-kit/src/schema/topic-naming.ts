import type { JavaPattern, JavaReplacement } from '@tributary/support'
import type { TableId } from '../relational/table-id.ts'
import { namingErrors } from './errors.ts'
import { isTopicName, type TopicEscape, type TopicParts, underscored } from './topic-names.ts'

export interface TopicNamingOptions {
  /** `topic.prefix` */
  readonly prefix: string
  /** `topic.delimiter`. Default: a dot. */
  readonly delimiter?: string
  /** Default: `database-and-table`. */
  readonly parts?: TopicParts
  /** Default: `underscored`. */
  readonly escape?: TopicEscape
  /** Null, the default: each table has the topic that its name determines. */
  readonly route?: TopicRoute | null
}

/** Sends the events of several tables to one topic. */
export interface TopicRoute {
  /** Must match the whole name of a table's own topic, or the topic stays. */
  readonly pattern: JavaPattern
  readonly replacement: JavaReplacement
  /** Null: keys do not name the table. */
  readonly keyField: KeyFieldOptions | null
}

/** A field of keys that names the table of the row: rows of tables that share a topic may have equal keys. */
export interface KeyFieldOptions {
  readonly name: string
  /** Null: the value is the name of the table's own topic. */
  readonly value: { readonly pattern: JavaPattern; readonly replacement: JavaReplacement } | null
}

/** The field that the keys of one table have after their columns. */
export interface TableKeyField {
  readonly name: string
  readonly value: string
}

/** Where the events of a table go. */
export interface TableTopic {
  readonly name: string
  /** Null: keys consist of columns. */
  readonly keyField: TableKeyField | null
}

/** Names the topics of events, as the naming strategies of Debezium do. */
export class TopicNaming {
  readonly prefix: string
  readonly #delimiter: string
  readonly #parts: TopicParts
  readonly #escape: TopicEscape
  readonly #route: TopicRoute | null

  constructor({
    prefix,
    delimiter = '.',
    parts = 'database-and-table',
    escape = underscored,
    route = null,
  }: TopicNamingOptions) {
    this.prefix = prefix
    this.#delimiter = delimiter
    this.#parts = parts
    this.#escape = escape
    this.#route = route
  }

  /**
   * `<prefix>.<database>.<table>`, or where the strategy sends the events of that table.
   *
   * @throws TOPIC_NAME_REFUSED when the replacement of a route yields a name that Kafka refuses
   */
  topicOf(id: TableId): TableTopic {
    const own = this.#join(this.#parts === 'table' ? [id.table] : [id.database, id.table])
    const escaped = this.#escape(own)
    const route = this.#route
    if (route === null) return { name: escaped, keyField: null }
    return { name: routed(route, escaped, id), keyField: keyFieldOf(route, own) }
  }

  /** `<prefix>`: schema changes. */
  get schemaChangeTopic(): string {
    return this.prefix
  }

  /** `<heartbeat prefix>.<prefix>` */
  heartbeatTopic(heartbeatPrefix: string): string {
    return [heartbeatPrefix, this.prefix].join(this.#delimiter)
  }

  /** `<prefix>.<name>`: beginnings and ends of transactions. `name`: `topic.transaction`. */
  transactionTopic(name: string): string {
    return this.#join([name])
  }

  #join(parts: readonly string[]): string {
    return [this.prefix, ...parts].join(this.#delimiter)
  }
}

/** An empty result leaves the topic as it is. */
function routed({ pattern, replacement }: TopicRoute, topic: string, id: TableId): string {
  const name = pattern.matches(topic) ? replacement.replaceFirst(topic) : topic
  if (name === '') return topic
  if (!isTopicName(name)) throw namingErrors.TOPIC_NAME_REFUSED({ table: id.toString(), name })
  return name
}

/** Matches the name before characters that Kafka refuses were replaced. */
function keyFieldOf({ keyField }: TopicRoute, topic: string): TableKeyField | null {
  if (keyField === null) return null
  const { name, value } = keyField
  if (value === null || !value.pattern.matches(topic)) return { name, value: topic }
  return { name, value: value.replacement.replaceFirst(topic) }
}
