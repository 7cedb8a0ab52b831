import { type Clock, type Logger, toError } from '@tributary/support'
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { type Signal, parseSignal } from './signal.ts'

export interface SignalFileOptions {
  /** `signal.file` */
  readonly path: string
  /** `signal.poll.interval.ms` */
  readonly intervalMs: number
  readonly clock: Clock
  readonly logger: Logger
}

/** What was read of the file: who overwrites or replaces it writes new signals, also when its size stays. */
interface Taken {
  readonly inode: bigint
  readonly modifiedNs: bigint
  /** From the start of the file. */
  readonly bytes: number
  readonly hash: string
}

interface Content {
  readonly inode: bigint
  readonly modifiedNs: bigint
  readonly bytes: Buffer
}

/**
 * Signals from a file, one per line. It is emptied when an offset has been stored that knows of its signals: a task that
 * ends before reads them again. A file that was overwritten or replaced since it was read is read from its start.
 */
export class SignalFile {
  readonly #options: SignalFileOptions
  /** Whose signals were returned; null: none. */
  #taken: Taken | null = null
  /** When the file was modified last, as of the last look. */
  #seenNs: bigint | null = null
  #nextMs = 0
  #lastFailure = ''
  /** The last access: the file is read and emptied by turns. */
  #access: Promise<unknown> = Promise.resolve()

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
      const signals = await this.#byTurns(() => this.#read())
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

  /** An offset was stored that knows of all signals so far. */
  async stored(): Promise<void> {
    const { path, logger } = this.#options
    try {
      await this.#byTurns(() => this.#empty())
    } catch (error) {
      logger.warn(`The signal file ${path} cannot be emptied: its signals are read again when the task starts`, {
        error: toError(error),
      })
    }
  }

  #byTurns<T>(access: () => Promise<T>): Promise<T> {
    const result = this.#access.then(access)
    this.#access = result.catch(() => undefined)
    return result
  }

  async #read(): Promise<readonly Signal[]> {
    await using file = await open(this.#options.path, 'r')
    const content = await contentOf(file)
    // Someone writes right now.
    if (content === null) return []
    const start = this.#startIn(content)
    if (start === 0) this.#taken = null
    const bytes = content.bytes.subarray(start)
    const whole = this.#wholeOf(bytes, content)
    if (whole === 0) return []
    const read = start + whole
    this.#taken = { ...content, bytes: read, hash: hashOf(content.bytes.subarray(0, read)) }
    return this.#signalsOf(bytes.subarray(0, whole).toString())
  }

  /**
   * Somebody may still write the last line: if it is no signal yet, it is read when the file was unchanged for an
   * interval.
   */
  #wholeOf(bytes: Buffer, { modifiedNs }: Content): number {
    const end = bytes.lastIndexOf(0x0a) + 1
    const isUnchanged = modifiedNs === this.#seenNs
    this.#seenNs = modifiedNs
    if (end === bytes.length || isUnchanged) return bytes.length
    return parseSignal(bytes.subarray(end).toString(), 'file').tag === 'signal' ? bytes.length : end
  }

  /** Where new lines begin. */
  #startIn({ inode, modifiedNs, bytes }: Content): number {
    const taken = this.#taken
    if (taken === null || inode !== taken.inode || bytes.length < taken.bytes) return 0
    if (hashOf(bytes.subarray(0, taken.bytes)) !== taken.hash) return 0
    // Written again, with the same signals.
    return bytes.length === taken.bytes && modifiedNs !== taken.modifiedNs ? 0 : taken.bytes
  }

  #signalsOf(text: string): readonly Signal[] {
    const { path, logger } = this.#options
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    return lines.flatMap((line) => {
      const parsed = parseSignal(line, 'file')
      if (parsed.tag === 'signal') return [parsed.signal]
      logger.error(`A line of the signal file ${path} ${parsed.reason}. It has no effect: ${line.slice(0, 200)}`)
      return []
    })
  }

  async #empty(): Promise<void> {
    const taken = this.#taken
    if (taken === null) return
    await using file = await open(this.#options.path, 'r+')
    const content = await contentOf(file)
    // New lines stay, with those before them.
    if (content === null || content.bytes.length !== taken.bytes || this.#startIn(content) !== taken.bytes) return
    await file.truncate(0)
    this.#taken = null
  }
}

/** Null: it was written while it was read. */
async function contentOf(file: FileHandle): Promise<Content | null> {
  const before = await file.stat({ bigint: true })
  if (before.size > BYTES_MAX) throw new Error(`it has more than ${BYTES_MAX} bytes`)
  if (before.size === 0n) return { inode: before.ino, modifiedNs: before.mtimeNs, bytes: Buffer.alloc(0) }
  const bytes = Buffer.alloc(Number(before.size))
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
  const after = await file.stat({ bigint: true })
  if (after.size !== before.size || after.mtimeNs !== before.mtimeNs || bytesRead !== bytes.length) return null
  return { inode: after.ino, modifiedNs: after.mtimeNs, bytes }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** A file of signals has a few lines; it is read as a whole in each interval until it is empty. */
const BYTES_MAX = 16 * 2 ** 20
