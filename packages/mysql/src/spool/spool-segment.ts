import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import type { SpoolPlace } from './event-facts.ts'
import { checkedCrc, payloadLength, RECORD_HEADER_BYTES, writeRecord } from './spool-record.ts'

/** The first record of a segment, in JSON. */
export interface SegmentHead {
  /** The version of the file format. */
  readonly version: 1
  /** Identifies the run: the segments of one run continue each other without a gap. */
  readonly run: string
  /** The index of the segment in the run, from 0. */
  readonly number: number
  /** CRC-32 of the last record of the segment before; 0 in the first one. */
  readonly previous: number
  /** The server whose binlog it is, as the connector names it. */
  readonly identity: string
  /** The kind of dump: `SpoolOptions.variant`. */
  readonly variant: string
  /** The place of the first event; in the first segment, the place from which the dump was requested. */
  readonly first: SpoolPlace
  /** The format description of the file of `first`, in Base64; null in the first segment, whose dump sends it. */
  readonly description: string | null
}

/** Where a record of a segment begins. */
export interface RecordPlace {
  readonly offset: number
  /** CRC-32 of the record before it. */
  readonly before: number
}

/**
 * A file of a spool. It contains rows of tables, so only its owner may read it. Appends do not call fsync: written
 * records survive the end of the process, but a crash of the machine may tear the last ones. The next start cuts them
 * off.
 */
export class SpoolSegment {
  readonly path: string
  readonly head: SegmentHead
  /** The first event. */
  readonly first: RecordPlace
  /** The length of all intact records. */
  bytes: number
  /** CRC-32 of the last record. */
  crc: number
  readonly #file: number
  #isClosed = false
  #isRemoved = false
  #readers = 0

  private constructor(path: string, file: number, head: SegmentHead, first: RecordPlace) {
    this.path = path
    this.#file = file
    this.head = head
    this.first = first
    this.bytes = first.offset
    this.crc = first.before
  }

  /** @throws the error of the file system; then there is no file */
  static create(path: string, head: SegmentHead): SpoolSegment {
    const payload = Buffer.from(JSON.stringify(head))
    const record = Buffer.alloc(RECORD_HEADER_BYTES + payload.length)
    const before = writeRecord(record, 0, payload, 0)
    const file = openSync(path, 'wx+', FILE_MODE)
    try {
      writeAll(file, record, 0)
      return new SpoolSegment(path, file, head, { offset: record.length, before })
    } catch (error) {
      closeSync(file)
      rmSync(path, { force: true })
      throw error
    }
  }

  /**
   * Opens a file of an earlier process. Its events are not checked yet: `bytes` and `crc` are those of the head.
   *
   * @returns null when it has no intact head
   * @throws the error of the file system
   */
  static open(path: string): SpoolSegment | null {
    const file = openSync(path, 'r+')
    try {
      const start = readUpTo(file, 0, Math.min(HEAD_BYTES_MAX, fstatSync(file).size))
      const found = parseHead(start)
      if (found !== null) return new SpoolSegment(path, file, found.head, found.first)
    } catch (error) {
      closeSync(file)
      throw error
    }
    closeSync(file)
    return null
  }

  /** The size of the file, including bytes that are not checked yet. */
  get fileBytes(): number {
    return fstatSync(this.#file).size
  }

  /**
   * Adds records. `crc`: of the last one.
   *
   * @throws the error of the file system, and then nothing was added
   */
  append(records: Uint8Array, crc: number): void {
    try {
      writeAll(this.#file, records, this.bytes)
    } catch (error) {
      // The next records overwrite the rest of these, or the next start cuts it off.
      try {
        ftruncateSync(this.#file, this.bytes)
      } catch {
        // The first error explains more than one of the cleanup.
      }
      throw error
    }
    this.bytes += records.length
    this.crc = crc
  }

  /** Reads up to `length` bytes from an offset on. */
  read(offset: number, bytesMax: number): Buffer {
    if (this.#isClosed) throw new RangeError(`the segment ${this.path} was removed while it was read`)
    return readUpTo(this.#file, offset, bytesMax)
  }

  /** Removes all records from an offset on. `crc`: of the record before it. */
  cut(offset: number, crc: number): void {
    ftruncateSync(this.#file, offset)
    this.bytes = offset
    this.crc = crc
  }

  /** Resolves when all added records are on the disk. */
  async sync(): Promise<void> {
    if (!this.#isClosed) await promisify(fdatasync)(this.#file)
  }

  /** Keeps the file readable until `release`, also after `remove`. */
  retain(): void {
    this.#readers += 1
  }

  release(): void {
    this.#readers -= 1
    if (this.#isRemoved && this.#readers === 0) this.close()
  }

  remove(): void {
    rmSync(this.path, { force: true })
    this.#isRemoved = true
    if (this.#readers === 0) this.close()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    closeSync(this.#file)
  }
}

const FILE_MODE = 0o600
/** Names and a format description, which has some 100 bytes. */
const HEAD_BYTES_MAX = 16_384

function writeAll(file: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length;) {
    const count = writeSync(file, bytes, done, bytes.length - done, at + done)
    if (count === 0) throw Object.assign(new Error('nothing could be written'), { code: 'ENOSPC' })
    done += count
  }
}

/** Fewer bytes at the end of the file. */
function readUpTo(file: number, at: number, bytesMax: number): Buffer {
  const bytes = Buffer.allocUnsafe(bytesMax)
  let have = 0
  while (have < bytesMax) {
    const count = readSync(file, bytes, have, bytesMax - have, at + have)
    if (count === 0) break
    have += count
  }
  return bytes.subarray(0, have)
}

function parseHead(bytes: Buffer): { readonly head: SegmentHead; readonly first: RecordPlace } | null {
  if (bytes.length < RECORD_HEADER_BYTES) return null
  const length = payloadLength(bytes, 0)
  const end = RECORD_HEADER_BYTES + (length ?? 0)
  if (length === null || end > bytes.length) return null
  const before = checkedCrc(bytes, 0, 0)
  if (before === null) return null
  // The CRC-32 proves that this program wrote the head: only its version may differ.
  const head = JSON.parse(bytes.toString('utf8', RECORD_HEADER_BYTES, end)) as SegmentHead
  return head.version === 1 ? { head, first: { offset: end, before } } : null
}
