/** Which parts of the name of a table its topic has after the prefix. */
export type TopicParts = 'database-and-table' | 'table'

/** Turns a name into one that Kafka accepts as the name of a topic. */
export type TopicEscape = (name: string) => string

/** Kafka's limit (Topic.MAX_NAME_LENGTH). */
export const TOPIC_CHARACTERS_MAX = 249

/** Any other character becomes an underscore, one for each of Java's 16-bit characters. */
export const underscored: TopicEscape = (name) =>
  name.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, TOPIC_CHARACTERS_MAX)

/**
 * Any other character becomes `_u` and its number, underscores too, so that different names stay different as far as
 * the limit of the length permits. Two zeros come before a number of one or two digits, as in Debezium.
 */
export const unicodeEscaped: TopicEscape = (name) =>
  name
    .replaceAll(/[^A-Za-z0-9.-]/g, (character) => {
      const hex = character.charCodeAt(0).toString(16)
      return `_u${hex.length <= 2 ? `00${hex}` : hex}`
    })
    .slice(0, TOPIC_CHARACTERS_MAX)

/** As Kafka's brokers check it. */
export function isTopicName(name: string): boolean {
  return /^[a-zA-Z0-9._-]{1,249}$/.test(name) && !/^\.{1,2}$/.test(name)
}
