/** A request of a user to a running connector, as Debezium defines it. */
export interface Signal {
  readonly id: string
  readonly type: string
  /** JSON; empty: none. */
  readonly data: string
  /** Where it came from, for the log. */
  readonly channel: 'source' | 'kafka' | 'file'
}

export type ParsedSignal =
  | { readonly tag: 'signal'; readonly signal: Signal }
  /** `reason`: the end of a sentence that begins with the signal. */
  | { readonly tag: 'invalid'; readonly reason: string }

/**
 * Reads the JSON form of a signal, `{"id":…,"type":…,"data":…}`: a record of the signal topic, or a line of the signal
 * file. The data may be an object, or its text.
 */
export function parseSignal(text: string, channel: Signal['channel']): ParsedSignal {
  const parsed = parsedJson(text)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return invalid('is not a JSON object')
  const { id, type, data } = parsed as Readonly<Record<string, unknown>>
  if (typeof type !== 'string' || type === '') return invalid('has no type')
  const content = data === undefined || data === null ? '' : typeof data === 'string' ? data : JSON.stringify(data)
  return { tag: 'signal', signal: { id: typeof id === 'string' ? id : '', type, data: content, channel } }
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
