/** An algorithm of Java's `Mac` and `KeyGenerator`. */
export interface MacAlgorithm {
  /** Node's name of its hash function. */
  readonly hash: string
  /** The length of a key that Java generates without a size. */
  readonly keyBytes: number
}

/** Those that Java 17 has and Node can compute, by Java's names. */
const MAC_ALGORITHMS: Readonly<Record<string, MacAlgorithm>> = {
  HmacMD5: { hash: 'md5', keyBytes: 64 },
  HmacSHA1: { hash: 'sha1', keyBytes: 64 },
  HmacSHA224: { hash: 'sha224', keyBytes: 28 },
  HmacSHA256: { hash: 'sha256', keyBytes: 32 },
  HmacSHA384: { hash: 'sha384', keyBytes: 48 },
  HmacSHA512: { hash: 'sha512', keyBytes: 64 },
  'HmacSHA512/224': { hash: 'sha512-224', keyBytes: 28 },
  'HmacSHA512/256': { hash: 'sha512-256', keyBytes: 32 },
  'HmacSHA3-224': { hash: 'sha3-224', keyBytes: 28 },
  'HmacSHA3-256': { hash: 'sha3-256', keyBytes: 32 },
  'HmacSHA3-384': { hash: 'sha3-384', keyBytes: 48 },
  'HmacSHA3-512': { hash: 'sha3-512', keyBytes: 64 },
}

export const MAC_ALGORITHM_NAMES: readonly string[] = Object.keys(MAC_ALGORITHMS)

const byLowerCase = new Map(Object.entries(MAC_ALGORITHMS).map(([name, each]) => [name.toLowerCase(), each]))

/** Finds an algorithm by its name, ignoring case as in Java; null for an unknown one. */
export function macAlgorithm(name: string): MacAlgorithm | null {
  return byLowerCase.get(name.toLowerCase()) ?? null
}
