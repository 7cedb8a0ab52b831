import { createLogger, type Logger, type LogLevel } from '@tributary/support'
import { writeSync } from 'node:fs'
import { formatLogLine } from './log-format.ts'

const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent']
const STDOUT = 1

/**
 * The log on standard output: LOG_LEVEL says from which level on (info), LOG_FORMAT `json` one document a line instead of text.
 * Lines are written at once and whole, also from the threads of tasks: a line that explains a crash is out before the crash.
 */
export function createStdoutLogger(environment: Readonly<Record<string, string | undefined>>): Logger {
  const wanted = (environment['LOG_LEVEL'] ?? 'info').toLowerCase()
  const level = LEVELS.find((each) => each === wanted) ?? 'info'
  const format = environment['LOG_FORMAT'] === 'json' ? (line: string) => line : formatLogLine
  return createLogger(level, (line) => writeWhole(format(line)))
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
