import { pino } from 'pino'
import { LogLevels, ROOT_LOGGER, type LogLevelName } from './log-levels.ts'

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
export type LogFields = Readonly<Record<string, unknown>>

/**
 * What happens, for people. Text first, facts as fields; a field `error` holds an Error.
 * A child carries fields in every line: `connectorType`, `connectorName` and `connectorContext` are the three that the
 * reference connector shows in its log context. A child's field `logger` is its name, by which operators set its level; it stands in
 * no line.
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
 * Keys: `level` (name), `time` (ms since 1970), `msg`, and the fields. Levels that can be changed later are `LogLevels`.
 */
export function createLogger(level: LogLevel | LogLevels, write: (line: string) => void): Logger {
  const options = {
    level: 'trace',
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.err },
  }
  const levels = level instanceof LogLevels ? level : new LogLevels(LEVEL_NAMES[level])
  return new NamedLogger(pino(options, { write }), levels, ROOT_LOGGER)
}

const LEVEL_NAMES: Readonly<Record<LogLevel, LogLevelName>> = {
  trace: 'TRACE',
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARN',
  error: 'ERROR',
  silent: 'OFF',
}

type WrittenLevel = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'

class NamedLogger implements Logger {
  readonly #log: pino.Logger
  readonly #levels: LogLevels
  readonly #name: string
  /** What was looked up for which version of the levels: a line that is not written costs a comparison. */
  #version = -1
  #isWritten: Readonly<Record<WrittenLevel, boolean>> = { DEBUG: false, INFO: false, WARN: false, ERROR: false }

  constructor(log: pino.Logger, levels: LogLevels, name: string) {
    this.#log = log
    this.#levels = levels
    this.#name = name
  }

  debug(message: string, fields?: LogFields): void {
    if (this.#writes('DEBUG')) this.#log.debug(fields ?? {}, message)
  }

  info(message: string, fields?: LogFields): void {
    if (this.#writes('INFO')) this.#log.info(fields ?? {}, message)
  }

  warn(message: string, fields?: LogFields): void {
    if (this.#writes('WARN')) this.#log.warn(fields ?? {}, message)
  }

  error(message: string, fields?: LogFields): void {
    if (this.#writes('ERROR')) this.#log.error(fields ?? {}, message)
  }

  child(fields: LogFields): Logger {
    const { logger: name, ...shown } = fields
    return new NamedLogger(this.#log.child(shown), this.#levels, typeof name === 'string' ? name : this.#name)
  }

  #writes(level: WrittenLevel): boolean {
    const { version } = this.#levels
    if (version !== this.#version) {
      this.#version = version
      const isWritten = (each: LogLevelName): boolean => this.#levels.isWritten(this.#name, each)
      this.#isWritten = {
        DEBUG: isWritten('DEBUG'),
        INFO: isWritten('INFO'),
        WARN: isWritten('WARN'),
        ERROR: isWritten('ERROR'),
      }
    }
    return this.#isWritten[level]
  }
}

export const silentLogger: Logger = createLogger('silent', () => undefined)
