import type { TableId, TableTopic, TopicNaming } from '@tributary/connector-kit'
import type { Logger } from '@tributary/support'

/**
 * The topics of tables. Logs a warning, once for each topic, when two tables share it and their keys do not name the
 * table: rows of both with equal keys are then one row to whoever reads the topic.
 */
export class TableTopics {
  readonly #naming: TopicNaming
  readonly #logger: Logger
  /** The first table of each topic; null once the warning is in the log. */
  #firstOf = new Map<string, TableId | null>()

  constructor(naming: TopicNaming, logger: Logger) {
    this.#naming = naming
    this.#logger = logger
  }

  /** @throws TOPIC_NAME_REFUSED */
  of(id: TableId): TableTopic {
    const topic = this.#naming.topicOf(id)
    if (topic.keyField === null) this.#compare(id, topic.name)
    return topic
  }

  #compare(id: TableId, topic: string): void {
    const first = this.#firstOf.get(topic)
    if (first === id || first === null) return
    if (first === undefined) {
      if (this.#firstOf.size >= TOPICS_MAX) this.#firstOf = new Map()
      this.#firstOf.set(topic, id)
      return
    }
    this.#firstOf.set(topic, null)
    this.#logger.warn(
      `The tables ${first.toString()} and ${id.toString()} share the topic ${topic}, and its keys do not name the table: rows with equal keys cannot be told apart, and compaction keeps only one of them. Choose a topic.naming.strategy that keeps them apart, or message.key.columns whose values differ`,
    )
  }
}

/** Names of as many tables as large servers have, in a megabyte. */
const TOPICS_MAX = 10_000
