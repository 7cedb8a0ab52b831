/**
 * The order in which `java.util.HashMap` iterates over keys that were added in this order. Confluent's JSON
 * Schema library keeps properties in such maps, and a registry takes a text with another order for another schema.
 */
export function javaMapOrder(keys: readonly string[], initialCapacity = 16): readonly string[] {
  let capacity = powerOfTwo(initialCapacity)
  while (keys.length > capacity * LOAD_FACTOR) capacity *= 2
  const bucketOf = (key: string): number => {
    const hash = javaHash(key)
    return (hash ^ (hash >>> 16)) & (capacity - 1)
  }
  // Stable: keys of one bucket stay in the order in which they were added.
  return keys.toSorted((a, b) => bucketOf(a) - bucketOf(b))
}

/**
 * The order in a copy that `new HashMap(map)` makes in Java 17, where its capacity depends on the number of keys only.
 * Java 19 and later make some copies smaller.
 */
export function javaMapCopyOrder(keys: readonly string[]): readonly string[] {
  return javaMapOrder(keys, Math.floor(keys.length / LOAD_FACTOR) + 1)
}

const LOAD_FACTOR = 0.75

function powerOfTwo(capacity: number): number {
  let power = 1
  while (power < capacity) power *= 2
  return power
}

/** `String.hashCode`. */
function javaHash(text: string): number {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0
  return hash
}
