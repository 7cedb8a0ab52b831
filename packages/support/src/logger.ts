import { pino } from 'pino'
import type { OutageBoard } from './outage-board.ts'
import { LogLevels, ROOT_LOGGER, type LogLevelName } from './log-levels.ts'
import { visibleJson } from './visible-text.ts'

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
export type LogFields = Readonly<Record<string, unknown>>

/**
 * Logs events for people: a text, with facts as fields. The field `error` is an Error. A child logger adds its
 * fields to every line: `connectorType`, `connectorName` and `connectorContext` are the three of the log context of
 * Debezium. The field `logger` of a child is its name, by which operators set its level; it is not written.
 */
export interface Logger {
  /** The board to which `Outage` reports, besides the log. Absent: no board. Child loggers have their parent's. */
  readonly outages?: OutageBoard | undefined
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  child(fields: LogFields): Logger
}

/**
 * A logger that passes each line to `write` as one JSON document with a line end, synchronously: a line that explains a
 * crash must be written before the crash. `write` decides on format and destination; only the cli writes to stdout.
 * Keys: `level` (name), `time` (ms since 1970), `msg`, and the fields. Use `LogLevels` for levels that change at
 * runtime. The document is pure of control and direction characters, which texts of servers can contain: they are
 * escaped.
 */
export function createLogger(level: LogLevel | LogLevels, write: (line: string) => void): Logger {
  const options = {
    level: 'trace',
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.err },
  }
  const levels = level instanceof LogLevels ? level : new LogLevels(LEVEL_NAMES[level])
  return new NamedLogger(pino(options, { write: (line) => write(visibleJson(line)) }), levels, ROOT_LOGGER)
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
  /** The version of the levels for which `#isWritten` is valid: a line that is not written costs one comparison. */
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

/** Returns a logger with this board. */
export function withOutages(logger: Logger, outages: OutageBoard): Logger {
  return {
    outages,
    debug: (message, fields) => logger.debug(message, fields),
    info: (message, fields) => logger.info(message, fields),
    warn: (message, fields) => logger.warn(message, fields),
    error: (message, fields) => logger.error(message, fields),
    child: (fields) => withOutages(logger.child(fields), outages),
  }
}

export const silentLogger: Logger = createLogger('silent', () => undefined)
