/**
 * The entries in the order in which a new `java.util.HashMap` with these keys returns them, which is that of lists in
 * Debezium's records: by bucket, and within a bucket by insertion.
 */
export function inHashOrder<V>(entries: ReadonlyMap<string, V>): readonly (readonly [string, V])[] {
  let capacity = 16
  while (entries.size > capacity * 0.75) capacity *= 2
  const bucketOf = (key: string): number => {
    const hash = hashOf(key)
    return (hash ^ (hash >>> 16)) & (capacity - 1)
  }
  return [...entries]
    .map((entry) => ({ entry, bucket: bucketOf(entry[0]) }))
    .toSorted((a, b) => a.bucket - b.bucket)
    .map(({ entry }) => entry)
}

/** `java.lang.String.hashCode` */
function hashOf(text: string): number {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0
  return hash
}
