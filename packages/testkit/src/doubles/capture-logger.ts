import type { LogFields, Logger } from '@tributary/support'

export interface CapturedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  /** The line's own fields and those of the children it came through. */
  readonly fields: LogFields
}

/** A logger that keeps its lines, those of its children too, in the order in which they came. */
export interface CaptureLogger extends Logger {
  readonly lines: readonly CapturedLine[]
  /** The messages that contain the text or match the pattern, in order. */
  matching(pattern: string | RegExp): readonly CapturedLine[]
}

export function captureLogger(): CaptureLogger {
  const lines: CapturedLine[] = []
  const matching = (pattern: string | RegExp): CapturedLine[] =>
    lines.filter(({ message }) => (typeof pattern === 'string' ? message.includes(pattern) : pattern.test(message)))
  return { ...capturing(lines, {}), lines, matching }
}

function capturing(lines: CapturedLine[], inherited: LogFields): Logger {
  const keep = (level: CapturedLine['level'], message: string, fields: LogFields = {}): void => {
    lines.push({ level, message, fields: { ...inherited, ...fields } })
  }
  return {
    debug: (message, fields) => keep('debug', message, fields),
    info: (message, fields) => keep('info', message, fields),
    warn: (message, fields) => keep('warn', message, fields),
    error: (message, fields) => keep('error', message, fields),
    child: (fields) => capturing(lines, { ...inherited, ...fields }),
  }
}
