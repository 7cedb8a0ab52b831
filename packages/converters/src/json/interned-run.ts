import { ByteRun } from '@tributary/support'

/**
 * Returns one shared run for all places that write the same text. A table of five columns needs 45 runs of three
 * objects each. Most of them are the field names of the envelope and of its source block, which are equal for every
 * table; column names repeat too.
 */
export function internedRun(text: string): ByteRun {
  return known.get(text) ?? add(text)
}

function add(text: string): ByteRun {
  const run = new ByteRun(text)
  if (text.length > SHARED_LENGTH_MAX) return run
  // Compiled writers keep the runs that they have; only later requests for the same texts get new runs.
  if (known.size >= SHARED_MAX) known.clear()
  known.set(text, run)
  return run
}

const known = new Map<string, ByteRun>()
/** About 4 MB in each thread for names of usual length, at most 12 MB. */
const SHARED_MAX = 10_000
/** Longer texts are mostly defaults, which rarely repeat. */
const SHARED_LENGTH_MAX = 200
