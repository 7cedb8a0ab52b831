import { isDeepStrictEqual } from 'node:util'

/** An answer as it is compared: an error where no process listens has its code as its status. */
export interface ComparedAnswer {
  readonly status: number | string
  readonly body: string
  /** The path of the header. */
  readonly location?: string | undefined
}

/**
 * What differs between a recorded answer and that of Tributary, in a sentence; null when nothing does. Not compared:
 * the order of names and properties, versions, the identifier of the cluster, and times.
 */
export function difference(recorded: ComparedAnswer, own: ComparedAnswer): string | null {
  if (recorded.status !== own.status) return `${recorded.status} expected, got ${own.status} ${own.body.slice(0, 300)}`
  if (recorded.location !== own.location) return `Location ${recorded.location} expected, got ${own.location}`
  if (isServerPage(recorded.body)) return null
  const [expected, got] = [recorded.body, own.body].map((body) => canonical(documentOf(body)))
  return isDeepStrictEqual(expected, got)
    ? null
    : `${recorded.body.slice(0, 600)} expected, got ${own.body.slice(0, 600)}`
}

/** A page of Kafka Connect's HTTP server, which answers before the REST interface is ready. */
function isServerPage(body: string): boolean {
  return body.startsWith('{\n"message"')
}

function documentOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const MASKED: ReadonlySet<string> = new Set(['version', 'commit', 'kafka_cluster_id', 'last_modified'])

function canonical(document: unknown): unknown {
  if (Array.isArray(document)) {
    return document.every((item) => typeof item === 'string') ? document.toSorted() : document.map(canonical)
  }
  if (typeof document !== 'object' || document === null) return document
  const entries = Object.entries(document).map(([name, value]) => [name, MASKED.has(name) ? '…' : canonical(value)])
  return Object.fromEntries(entries)
}
