import { createLogger, LogLevels, parseLogLevel, type Logger } from '@tributary/support'
import { writeSync } from 'node:fs'
import { formatLogLine } from './log-format.ts'

const STDOUT = 1

type Environment = Readonly<Record<string, string | undefined>>

/** From which level on the log has lines: LOG_LEVEL (info), until an operator says otherwise over REST. */
export function logLevelsOf(environment: Environment): LogLevels {
  const wanted = environment['LOG_LEVEL'] ?? 'info'
  return new LogLevels(parseLogLevel(wanted.toLowerCase() === 'silent' ? 'OFF' : wanted) ?? 'INFO')
}

/**
 * The log on standard output; LOG_FORMAT `json` makes each line one document instead of text.
 * Lines are written at once and whole, also from the threads of tasks: a line that explains a crash is out before the crash.
 */
export function createStdoutLogger(environment: Environment, levels: LogLevels): Logger {
  const format = environment['LOG_FORMAT'] === 'json' ? (line: string) => line : formatLogLine
  return createLogger(levels, (line) => writeWhole(format(line)))
}

/** A pipe whose reader is slow takes what it can and refuses the rest for now (EAGAIN). */
function writeWhole(text: string): void {
  const bytes = Buffer.from(text)
  let done = 0
  while (done < bytes.length) {
    try {
      done += writeSync(STDOUT, bytes, done)
    } catch (error) {
      if ((error as { code?: string }).code !== 'EAGAIN') return
      Atomics.wait(PAUSE, 0, 0, 1)
    }
  }
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4))
