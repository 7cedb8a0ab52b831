/** The topic to begin with: one of a table, which is `prefix.database.table`, where `prefix` has the schema changes. */
export function defaultTopic(topics: readonly string[]): string {
  const ofTable = topics.find((topic) =>
    topics.some((prefix) => topic.startsWith(`${prefix}.`) && topic.slice(prefix.length + 1).includes('.')),
  )
  return ofTable ?? topics.find((topic) => !topic.startsWith('__')) ?? topics[0] ?? ''
}
