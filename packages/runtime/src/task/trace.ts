import { CodedError, toError } from '@tributary/support'

/**
 * An error as Connect shows it in a status: `class: message`, then the frames and the causes, in the form of Java's
 * printStackTrace. The code at the end of the first line is what the error reference is ordered by. It is cut to what fits a
 * record of the status topic.
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

/** Frames inside Node and of installed packages say nothing to the reader of a status; the program's own do. */
function frames(error: Error): readonly string[] {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !/node:internal|node_modules/.test(line))
    .slice(0, FRAMES_MAX)
    .map((line) => `\t${line.trim().replace(/file:\/\/\S*?(packages\/|[^/]+$)/, '$1')}`)
}

/** Causes may go round in a circle. */
const CAUSES_MAX = 8
const FRAMES_MAX = 12
/** Well below the smallest record limit in use (1 MB), and more than anybody reads. */
const TRACE_CHARACTERS_MAX = 20_000
