import type { OffsetDocument, SourceOffset } from '@tributary/connect-api'
import { type Clock, type Timer, toError, visibleText } from '@tributary/support'
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { cliErrors } from '../errors.ts'

export interface SaveFileOptions {
  readonly clock: Clock
  /** Called when a write has failed that nobody waited for; `close` throws its error. */
  readonly onFailure: () => void
}

/**
 * The file of `--save`: the position after the last record that the reader of the output has taken. It is replaced as a
 * whole, at most once a second, and at the end; so a killed command repeats what it printed in the last second.
 */
export class SaveFile {
  readonly #path: string
  readonly #source: string
  readonly #clock: Clock
  readonly #onFailure: () => void
  #latest: SourceOffset | null = null
  #timer: Timer | null = null
  #failure: unknown = null

  /** `source`: what is read, which the file names. */
  constructor(path: string, source: string, { clock, onFailure }: SaveFileOptions) {
    this.#path = path
    this.#source = source
    this.#clock = clock
    this.#onFailure = onFailure
  }

  /**
   * The stored position; null when there is no file.
   *
   * @throws TAIL_SAVE
   */
  read(): OffsetDocument | null {
    let text: string
    try {
      text = readFileSync(this.#path, 'utf8')
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
      throw this.#refused('cannot be read', error)
    }
    const document = documentOf(text)
    if (document === null) throw this.#refused('is not a file that --save has written', null)
    if (document.source !== this.#source) {
      throw this.#refused(`belongs to ${visibleText(document.source)}, but this command reads ${this.#source}`, null)
    }
    return document.offset
  }

  /**
   * Replaces the file.
   *
   * @throws TAIL_SAVE
   */
  write(offset: OffsetDocument): void {
    const temporary = `${this.#path}.new`
    try {
      const file = openSync(temporary, 'w', 0o600)
      try {
        writeSync(file, `${JSON.stringify({ tributary: 'tail', source: this.#source, offset }, null, 2)}\n`)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      renameSync(temporary, this.#path)
    } catch (error) {
      throw this.#refused('cannot be written', error)
    }
  }

  /** Keeps the position, and writes it a second after the last write. */
  advance(offset: SourceOffset): void {
    this.throwIfFailed()
    this.#latest = offset
    this.#timer ??= this.#clock.after(SAVE_MS, () => this.#flush())
  }

  /** @throws TAIL_SAVE when the last write has failed */
  throwIfFailed(): void {
    if (this.#failure !== null) throw toError(this.#failure)
  }

  /** Writes what was not written. */
  close(): void {
    this.#flush()
    this.throwIfFailed()
  }

  #flush(): void {
    this.#timer?.cancel()
    this.#timer = null
    const offset = this.#latest
    if (offset === null) return
    this.#latest = null
    try {
      this.write(offset.toDocument())
    } catch (error) {
      this.#failure = error
      this.#onFailure()
    }
  }

  #refused(reason: string, cause: unknown): Error {
    const detail = cause instanceof Error ? `: ${cause.message}` : ''
    return cliErrors.TAIL_SAVE({ path: this.#path, reason: `${reason}${detail}` }, cause ?? undefined)
  }
}

const SAVE_MS = 1_000

interface SavedDocument {
  readonly source: string
  readonly offset: OffsetDocument
}

function documentOf(text: string): SavedDocument | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(parsed) || parsed['tributary'] !== 'tail' || typeof parsed['source'] !== 'string') return null
  const { source, offset } = parsed
  return isObject(offset) ? { source, offset: offset as OffsetDocument } : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
