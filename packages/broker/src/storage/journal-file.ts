import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, renameSync } from 'node:fs'
import { crc32c } from '@node-rs/crc32'
import { brokerErrors } from '../errors.ts'
import type { JournalEntry } from './journal-entry.ts'
import { appendAll } from './whole-io.ts'

const CHECKSUM_DIGITS = 8
/** A journal below this size is not worth rewriting. */
const LONG_BYTES = 16 * 2 ** 20
/** By which factor a journal must have grown since its last rewrite. */
const LONG_FACTOR = 4

/** The journal as a file of lines: the CRC-32C of the JSON in eight hexadecimal digits, a space, the JSON. */
export class JournalFile {
  readonly #path: string
  #descriptor: number | null = null
  #bytes = 0
  /** After the last rewrite. */
  #startBytes = 0
  #isBroken = false

  constructor(path: string) {
    this.#path = path
  }

  get isLong(): boolean {
    return this.#bytes > Math.max(LONG_BYTES, LONG_FACTOR * this.#startBytes)
  }

  /**
   * Reads the entries. An incomplete last line is ignored: the process was killed while it wrote the line, before any
   * acknowledgement. The next rewrite removes it.
   *
   * @throws BROKER_DATA_DAMAGED
   */
  recover(): readonly JournalEntry[] {
    const text = readIfExists(this.#path)
    const lines = text.split('\n')
    lines.pop()
    let position = 0
    return lines.map((line) => {
      const json = line.slice(CHECKSUM_DIGITS + 1)
      if (line.slice(0, CHECKSUM_DIGITS) !== checksum(json)) {
        throw brokerErrors.BROKER_DATA_DAMAGED({
          file: this.#path,
          position,
          reason: 'the checksum of a line is wrong',
        })
      }
      position += Buffer.byteLength(line) + 1
      // Only this class writes the file, and the checksum proves that it did.
      return JSON.parse(json) as JournalEntry
    })
  }

  /** Writes a new file and replaces the old one by it. */
  rewrite(entries: readonly JournalEntry[]): void {
    const path = `${this.#path}.new`
    const descriptor = openSync(path, 'w', 0o600)
    const bytes = Buffer.from(entries.map(lineOf).join(''))
    appendAll(descriptor, bytes)
    fsyncSync(descriptor)
    renameSync(path, this.#path)
    this.close()
    this.#descriptor = descriptor
    this.#bytes = bytes.length
    this.#startBytes = bytes.length
    this.#isBroken = false
  }

  append(entry: JournalEntry): void {
    if (this.#descriptor === null) throw new Error(`${this.#path} is closed`)
    if (this.#isBroken) throw new Error(`${this.#path} could not be repaired after a failed write`)
    const bytes = Buffer.from(lineOf(entry))
    try {
      appendAll(this.#descriptor, bytes)
      this.#bytes += bytes.length
    } catch (error) {
      this.#removeRest(this.#descriptor)
      throw error
    }
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
  }

  #removeRest(descriptor: number): void {
    try {
      ftruncateSync(descriptor, this.#bytes)
    } catch {
      this.#isBroken = true
    }
  }
}

function readIfExists(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

function lineOf(entry: JournalEntry): string {
  const json = JSON.stringify(entry)
  return `${checksum(json)} ${json}\n`
}

function checksum(text: string): string {
  return crc32c(text).toString(16).padStart(CHECKSUM_DIGITS, '0')
}
