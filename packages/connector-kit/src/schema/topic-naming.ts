import type { TableId } from '../relational/table-id.ts'

/** Names the topics of events (Debezium's DefaultTopicNamingStrategy). */
export class TopicNaming {
  readonly prefix: string
  readonly #delimiter: string

  constructor(prefix: string, delimiter = '.') {
    this.prefix = prefix
    this.#delimiter = delimiter
  }

  /** `<prefix>.<database>.<table>`: the events of one table. */
  dataChangeTopic({ database, table }: TableId): string {
    return this.#sanitized([this.prefix, database, table].join(this.#delimiter))
  }

  /** `<prefix>`: schema changes. */
  get schemaChangeTopic(): string {
    return this.#sanitized(this.prefix)
  }

  /** `<heartbeat prefix>.<prefix>` */
  heartbeatTopic(heartbeatPrefix: string): string {
    return this.#sanitized([heartbeatPrefix, this.prefix].join(this.#delimiter))
  }

  /** `<prefix>.<name>`: begins and ends of transactions. */
  transactionTopic(name: string): string {
    return this.#sanitized([this.prefix, name].join(this.#delimiter))
  }

  /** Valid are letters, digits, dot, dash and underscore (Topic.LEGAL_CHARS); anything else becomes an underscore. */
  #sanitized(name: string): string {
    return name.replaceAll(/[^A-Za-z0-9._-]/g, '_')
  }
}
