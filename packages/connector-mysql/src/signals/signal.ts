/** A request of a user to a running connector, as Debezium defines it. */
export interface Signal {
  readonly id: string
  readonly type: string
  /** JSON; empty: none. */
  readonly data: string
  /** Where it came from, for the log. */
  readonly channel: 'source' | 'kafka' | 'file' | 'rest'
}

/** Of the data. Patterns of a megabyte would take seconds to compile. */
export const SIGNAL_CHARACTERS_MAX: number = 64 * 1024

export type ParsedSignal =
  | { readonly tag: 'signal'; readonly signal: Signal }
  /** `reason`: the end of a sentence that begins with the signal. */
  | { readonly tag: 'invalid'; readonly reason: string }

/**
 * Reads the JSON form of a signal, `{"id":…,"type":…,"data":…}`: a record of the signal topic, or a line of the signal
 * file. The data may be an object, or its text.
 */
export function parseSignal(text: string, channel: Signal['channel']): ParsedSignal {
  if (text.length > 2 * SIGNAL_CHARACTERS_MAX) return invalid(`has more than ${2 * SIGNAL_CHARACTERS_MAX} characters`)
  const parsed = parsedJson(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return invalid('is not a JSON object')
  const { id, type, data } = parsed as Readonly<Record<string, unknown>>
  if (typeof type !== 'string' || type === '') return invalid('has no type')
  const content = textOf(data)
  if (content === null) return invalid('has data that is nested too deeply')
  return { tag: 'signal', signal: { id: typeof id === 'string' ? id : '', type, data: content, channel } }
}

/** Null: JSON.stringify has no stack for it, which JSON.parse does not need. */
function textOf(data: unknown): string | null {
  if (data === undefined || data === null) return ''
  if (typeof data === 'string') return data
  try {
    return JSON.stringify(data)
  } catch {
    return null
  }
}

function invalid(reason: string): ParsedSignal {
  return { tag: 'invalid', reason }
}

/** Undefined: it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
