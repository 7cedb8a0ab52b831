import type { LogFields, Logger } from '@tributary/support'

export interface CapturedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  /** The fields of the line and of the child logger. */
  readonly fields: LogFields
}

/** A logger that records its lines and those of its children, in order. */
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
  const record = (level: CapturedLine['level'], message: string, fields: LogFields = {}): void => {
    lines.push({ level, message, fields: { ...inherited, ...fields } })
  }
  return {
    debug: (message, fields) => record('debug', message, fields),
    info: (message, fields) => record('info', message, fields),
    warn: (message, fields) => record('warn', message, fields),
    error: (message, fields) => record('error', message, fields),
    child: (fields) => capturing(lines, { ...inherited, ...fields }),
  }
}
