import { CodedError, toError } from '@tributary/support'

/**
 * Formats an error as Connect shows it in a status: `class: message`, then the frames and the causes, as Java's
 * printStackTrace does. The first line ends with the code, by which docs/reference/errors.md is ordered. Long traces
 * are cut, because the status topic limits the size of a record.
 */
export function formatTrace(thrown: unknown): string {
  const lines: string[] = []
  let error: unknown = thrown
  for (let depth = 0; depth < CAUSES_MAX && error !== undefined && error !== null; depth++) {
    const current = toError(error)
    lines.push((depth === 0 ? '' : 'Caused by: ') + describe(current), ...frames(current))
    error = current.cause
  }
  const text = lines.join('\n')
  return text.length > TRACE_CHARACTERS_MAX ? `${text.slice(0, TRACE_CHARACTERS_MAX)}…` : text
}

function describe(error: Error): string {
  const code = error instanceof CodedError ? ` [${error.code}]` : ''
  return `${error.name}: ${error.message}${code}`
}

/** Only the frames of the program: those of Node and of installed packages do not help the reader of a status. */
function frames(error: Error): readonly string[] {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !/node:internal|node_modules/.test(line))
    .slice(0, FRAMES_MAX)
    .map((line) => `\t${line.trim().replace(/file:\/\/\S*?(packages\/|[^/]+$)/, '$1')}`)
}

/** The chain of causes may be a cycle. */
const CAUSES_MAX = 8
const FRAMES_MAX = 12
/** Brokers accept records of 1 MB by default, which a trace in a status record must not reach. */
const TRACE_CHARACTERS_MAX = 20_000
