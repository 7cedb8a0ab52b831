import { createLogger, LogLevels, parseLogLevel, visibleText, type Logger } from '@tributary/support'
import { writeSync } from 'node:fs'
import { formatLogLine } from './log-format.ts'
import { noteOf } from './note.ts'

const STDOUT = 1
const STDERR = 2

type Environment = Readonly<Record<string, string | undefined>>

/** The log level: LOG_LEVEL, or info; operators change it over REST. */
export function logLevelsOf(environment: Environment): LogLevels {
  const wanted = environment['LOG_LEVEL'] ?? 'info'
  return new LogLevels(parseLogLevel(wanted.toLowerCase() === 'silent' ? 'OFF' : wanted) ?? 'INFO')
}

/**
 * A logger to standard output. With LOG_FORMAT=json each line is a JSON document instead of text. The command `dev`, whose
 * standard output has events, sets LOG_FORMAT=note: then it writes notes to standard error.
 * Writes are synchronous, also in the threads of tasks, so that a line that explains a crash is written before the
 * crash. `onLine` gets each line as JSON.
 */
export function createStdoutLogger(
  environment: Environment,
  levels: LogLevels,
  onLine: (line: string) => void = () => undefined,
): Logger {
  const [format, descriptor] = FORMATS[environment['LOG_FORMAT'] ?? ''] ?? [formatLogLine, STDOUT]
  return createLogger(levels, (line) => {
    writeWhole(format(line), descriptor)
    onLine(line)
  })
}

const FORMATS: Readonly<Record<string, readonly [format: (line: string) => string, descriptor: number]>> = {
  json: [(line) => line, STDOUT],
  note: [(line) => `tributary: ${visibleText(noteOf(line).text)}\n`, STDERR],
}

/** Writes all of the text. A full pipe accepts a part and then fails with EAGAIN until its reader has caught up. */
function writeWhole(text: string, descriptor: number): void {
  const bytes = Buffer.from(text)
  let done = 0
  while (done < bytes.length) {
    try {
      done += writeSync(descriptor, bytes, done)
    } catch (error) {
      if ((error as { code?: string }).code !== 'EAGAIN') return
      Atomics.wait(PAUSE, 0, 0, 1)
    }
  }
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4))
