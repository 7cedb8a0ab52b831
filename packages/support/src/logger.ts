import { pino } from 'pino'

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
export type LogFields = Readonly<Record<string, unknown>>

/**
 * What happens, for people. Text first, facts as fields; a field `error` holds an Error.
 * A child carries fields in every line: `connectorType`, `connectorName` and `connectorContext` are the three that the
 * reference connector shows in its log context.
 */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  child(fields: LogFields): Logger
}

/**
 * A logger that hands each line to `write` as one JSON document with a line end, synchronously: a line that explains a
 * crash must be out before the crash. The sink decides on form and place; only the cli gives one that writes to stdout.
 * Keys: `level` (name), `time` (ms since 1970), `msg`, and the fields.
 */
export function createLogger(level: LogLevel, write: (line: string) => void): Logger {
  const options = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.err },
  }
  return wrap(pino(options, { write }))
}

function wrap(log: pino.Logger): Logger {
  return {
    debug: (message, fields) => log.debug(fields ?? {}, message),
    info: (message, fields) => log.info(fields ?? {}, message),
    warn: (message, fields) => log.warn(fields ?? {}, message),
    error: (message, fields) => log.error(fields ?? {}, message),
    child: (fields) => wrap(log.child(fields)),
  }
}

export const silentLogger: Logger = createLogger('silent', () => undefined)
