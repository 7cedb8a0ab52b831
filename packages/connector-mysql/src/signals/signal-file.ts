import { type Clock, type Logger, toError } from '@tributary/support'
import { readFile, stat, truncate } from 'node:fs/promises'
import { type Signal, parseSignal } from './signal.ts'

export interface SignalFileOptions {
  /** `signal.file` */
  readonly path: string
  /** `signal.poll.interval.ms` */
  readonly intervalMs: number
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Signals from a file, one per line. It is emptied when an offset has been stored that knows of its signals: a task that
 * ends before reads them again.
 */
export class SignalFile {
  readonly #options: SignalFileOptions
  /** Bytes whose signals were returned. */
  #bytes = 0
  #nextMs = 0
  #lastFailure = ''

  constructor(options: SignalFileOptions) {
    this.#options = options
  }

  /** The signals of new lines. At most once in the interval it looks at the file. */
  async take(): Promise<readonly Signal[]> {
    const { clock, intervalMs, path } = this.#options
    const nowMs = clock.monotonicMs()
    if (nowMs < this.#nextMs) return []
    this.#nextMs = nowMs + intervalMs
    try {
      const signals = await this.#read()
      this.#lastFailure = ''
      return signals
    } catch (thrown) {
      const error = toError(thrown)
      if ('code' in error && error.code === 'ENOENT') return []
      // Once, not in each interval.
      if (error.message !== this.#lastFailure)
        this.#options.logger.error(`The signal file ${path} cannot be read`, { error })
      this.#lastFailure = error.message
      return []
    }
  }

  async #read(): Promise<readonly Signal[]> {
    const { path, logger } = this.#options
    const { size } = await stat(path)
    if (size < this.#bytes) this.#bytes = 0
    if (size === this.#bytes) return []
    if (size - this.#bytes > BYTES_MAX) throw new Error(`it has more than ${BYTES_MAX} bytes`)
    const bytes = (await readFile(path)).subarray(this.#bytes)
    // The last line may still be being written.
    const end = bytes.lastIndexOf(0x0a) + 1
    const whole = end === 0 || parseSignal(bytes.subarray(end).toString(), 'file').tag === 'signal' ? bytes.length : end
    this.#bytes += whole
    const lines = bytes
      .subarray(0, whole)
      .toString()
      .split('\n')
      .filter((line) => line.trim() !== '')
    return lines.flatMap((line) => {
      const parsed = parseSignal(line, 'file')
      if (parsed.tag === 'signal') return [parsed.signal]
      logger.error(`A line of the signal file ${path} ${parsed.reason}. It has no effect: ${line.slice(0, 200)}`)
      return []
    })
  }

  /** An offset was stored that knows of all signals so far. */
  async stored(): Promise<void> {
    const { path, logger } = this.#options
    if (this.#bytes === 0) return
    try {
      const { size } = await stat(path)
      // New lines stay, with those before them.
      if (size !== this.#bytes) return
      await truncate(path, 0)
      this.#bytes = 0
    } catch (error) {
      logger.warn(`The signal file ${path} cannot be emptied: its signals are read again when the task starts`, {
        error: toError(error),
      })
    }
  }
}

const BYTES_MAX = 16 * 2 ** 20
