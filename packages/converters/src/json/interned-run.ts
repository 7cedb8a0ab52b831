import { ByteRun } from '@tributary/support'

/**
 * The run of a text, one for all places that have the same. Of the 45 runs that a table of five columns needs, most stand between the values of
 * the envelope and its source, the same for every table; names of columns come again, too. Each is three objects.
 */
export function internedRun(text: string): ByteRun {
  return known.get(text) ?? add(text)
}

function add(text: string): ByteRun {
  const run = new ByteRun(text)
  if (text.length > SHARED_LENGTH_MAX) return run
  // Whoever has one keeps it; what is lost is that the next one of its text is another.
  if (known.size >= SHARED_MAX) known.clear()
  known.set(text, run)
  return run
}

const known = new Map<string, ByteRun>()
/** About 4 MB in each thread with names of usual length, 12 with the longest. */
const SHARED_MAX = 10_000
/** Longer ones are mostly defaults, which seldom come again. */
const SHARED_LENGTH_MAX = 200
