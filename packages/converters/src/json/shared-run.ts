import { ByteRun } from '@tributary/support'

/**
 * The run of a text, one for all places that have the same. What stands between the values of an envelope is the same for every table, and the
 * names of columns come again: of 45 runs that a table needs few are its own, and each is three objects.
 */
export function sharedRun(text: string): ByteRun {
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
/** About 4 MB of them. */
const SHARED_MAX = 10_000
/** Longer ones are defaults. */
const SHARED_LENGTH_MAX = 200
