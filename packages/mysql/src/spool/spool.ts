import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Logger } from '@tributary/support'
import {
  comparePlaces,
  createdSecondsOf,
  type EventFacts,
  FORMAT_DESCRIPTION,
  isInFile,
  isSamePlace,
  PlaceTracker,
  ROTATE,
  rotateTarget,
  type SpoolPlace,
  startsTransaction,
} from './event-facts.ts'
import { type ScannedEvent, scanSegment } from './scan-segment.ts'
import { SpoolOffsets } from './spool-offsets.ts'
import { readSpoolStatus, removeSpoolStatus, writeSpoolStatus } from './spool-status.ts'
import { SpoolLock, SpoolLockedError } from './spool-lock.ts'
import { RECORD_HEADER_BYTES, writeRecord } from './spool-record.ts'
import { type RecordPlace, type SegmentHead, SpoolSegment } from './spool-segment.ts'

export interface SpoolOptions {
  /** The folder of this spool alone; created if it does not exist. */
  readonly folder: string
  /** Limit on the bytes of all segments together. A single event may exceed it if the spool is empty otherwise. */
  readonly bytesMax: number
  /** The kind of dump, where that decides which events it has. The spool discards segments of another variant. */
  readonly variant?: string
  readonly clock: Clock
  readonly logger: Logger
}

/** The place of a record in a spool. */
export interface SpoolCursor extends RecordPlace {
  readonly segment: SpoolSegment
}

/** Where a feed begins, and the facts that its reader needs before the first event. */
export interface FeedStart {
  readonly cursor: SpoolCursor
  /** The place of the first event. */
  readonly place: SpoolPlace
  /** The format description of the file; null: the feed begins with the artificial events of a dump. */
  readonly description: Buffer | null
}

/** A place in the binlog of a certain server. */
export interface WantedPlace extends SpoolPlace {
  /** The server whose binlog it is, as the connector names it. */
  readonly identity: string
  /** When the server created the file, in seconds since 1970 by its clock. */
  readonly createdSeconds: number
}

/** Where the spool ends: the rest of the binlog is on the server. */
export interface SpoolEnd {
  readonly identity: string
  readonly place: SpoolPlace
  /** When the server created the file; null when it has not described it yet. */
  readonly createdSeconds: number | null
}

/** A place in the current run, in which names of files are unique. */
type PlaceOfRun = SpoolPlace & { readonly createdSeconds: number | null }

/** The spool collects records in a buffer of this size, to write many with one system call. */
const BUFFER_BYTES = 256 << 10

/**
 * A bounded log of binlog events, in files (segments). The segments of one run continue each other without a gap; there
 * is one run at a time. The spool is only a copy. It discards the first record that is damaged, or does not continue
 * the record before it, and all that follow. The stored offset decides which records are still needed.
 *
 *     add ─▶ [ segment n ] ◀─ feeds          trim: segments before the stored offset are removed
 *
 * The lock of the folder ensures that only one task reads and writes the files.
 */
export class Spool implements AsyncDisposable {
  readonly #options: SpoolOptions
  readonly #lock: SpoolLock
  #segments: SpoolSegment[] = []
  #tracker = new PlaceTracker()
  #run = ''
  #identity = ''
  #fileBytes = 0
  /** Records that are not written yet. */
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  #buffered = 0
  /** CRC-32 of the last record, written or not. */
  #crc = 0
  #hasBegun = false
  #isDisposed = false
  readonly #offsets = new SpoolOffsets()
  /** The end of the part that is certainly on the disk. */
  #durable: SpoolEnd | null = null
  readonly #unsynced = new Set<SpoolSegment>()

  private constructor(options: SpoolOptions, lock: SpoolLock) {
    this.#options = options
    this.#lock = lock
  }

  /**
   * Opens a folder, and checks the segments that an earlier process has left there, which may take minutes.
   *
   * @throws SpoolLockedError; the error of the file system; StoppedError
   */
  static async open(options: SpoolOptions, signal?: AbortSignal): Promise<Spool> {
    const { folder, clock } = options
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const spool = new Spool(options, SpoolLock.take({ folder, clock }))
    try {
      await spool.#load(signal)
      return spool
    } catch (error) {
      await spool[Symbol.asyncDispose]()
      throw error
    }
  }

  async #load(signal: AbortSignal | undefined): Promise<void> {
    const { folder, logger } = this.#options
    const names = readdirSync(folder)
      .filter((name) => SEGMENT_NAME.test(name))
      .toSorted()
    let problem: string | null = null
    for (const name of names) {
      problem = await this.#loadSegment(join(folder, name), signal)
      if (problem === null) continue
      logger.warn(
        `Spool ${folder}: ${name} ${problem}; it is discarded from there on, and the rest read from the server`,
      )
      break
    }
    const kept = new Set(this.#segments.map(({ path }) => path))
    for (const name of names) if (!kept.has(join(folder, name))) rmSync(join(folder, name), { force: true })
    if (this.end === null) return this.clear()
    const status = readSpoolStatus(folder)
    if (status === null) return
    this.#offsets.load(status)
    const { identity, end: place, createdSeconds } = status
    // Records after the end in the status may not be on the disk yet. After a cut, the status promises too many.
    if (problem === null) this.#durable = { identity, place, createdSeconds }
    else await this.sync()
  }

  /** Adds the intact part of the segment, and returns what is wrong with the rest. */
  async #loadSegment(path: string, signal: AbortSignal | undefined): Promise<string | null> {
    const segment = SpoolSegment.open(path)
    if (segment === null) return 'has no intact head of this version'
    if (segment.head.variant !== (this.#options.variant ?? '')) {
      segment.close()
      return 'was written with another setting of include.query'
    }
    const last = this.#segments.at(-1)
    if (last !== undefined && !continues(segment.head, last)) {
      segment.close()
      return 'does not continue the segment before it'
    }
    this.#segments.push(segment)
    const { fileBytes } = segment
    const see = ({ facts }: ScannedEvent): void => {
      this.#hasBegun ||= startsTransaction(facts)
    }
    const { end, tracker } = await scanSegment(segment, fileBytes, see, signal)
    this.#unsynced.add(segment)
    segment.cut(end.offset, end.before)
    this.#tracker = tracker
    this.#crc = end.before
    this.#run = segment.head.run
    this.#identity = segment.head.identity
    this.#fileBytes += end.offset
    return end.offset === fileBytes ? null : `is not intact after ${end.offset} of ${fileBytes} bytes`
  }

  /** The size of the files, including the buffered records. */
  get bytes(): number {
    return this.#fileBytes + this.#buffered
  }

  get bytesMax(): number {
    return this.#options.bytesMax
  }

  /** The format description of the next event's file; null before it has arrived. */
  get description(): Buffer | null {
    return this.#tracker.description
  }

  /** Where the next event begins, for messages. */
  get placeText(): string {
    const { file, position } = this.#tracker.end
    return `${file}:${position}`
  }

  /** Whether the spool has the start of a transaction. Earlier events may precede the place that the dump began at. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** Whether another task has taken over the folder. */
  get isLost(): boolean {
    return this.#lock.isLost
  }

  /** Whether the offset (`offsetText`) is the last one that was stored, or was sent since, also by an earlier process. */
  belongsTo(text: string): boolean {
    return this.#offsets.belongTo(text)
  }

  /** The spool belongs to this offset from now on, which was stored. @throws the error of the file system */
  setStored(text: string): void {
    this.#offsets.stored = text
    this.#writeStatus()
  }

  /** An offset was stored: those that were sent before it do not count any more. */
  clearInDoubt(): void {
    this.#offsets.inDoubt = []
  }

  /** The offset is about to be sent, also before a run begins. @throws the error of the file system */
  addInDoubt(text: string): void {
    this.#offsets.addInDoubt(text, () => this.#writeStatus())
  }

  /** The present files belong to no offset of this process. The status on the disk remains, for the next process. */
  disown(): void {
    this.#offsets.stored = null
  }

  /** Where the first event begins; null when it is empty. */
  get first(): SpoolPlace | null {
    return this.#segments[0]?.head.first ?? null
  }

  /** Where the spool ends; null when it is empty. */
  get end(): SpoolEnd | null {
    const { end, description, createdSeconds } = this.#tracker
    if (this.#segments.length === 0 || description === null || end.file === '') return null
    return { identity: this.#identity, place: end, createdSeconds }
  }

  /**
   * Finds the events after a place. A reader inside a transaction passes the place where the transaction begins. Null:
   * the spool lacks them.
   *
   * @throws the error of the file system
   */
  async find(wanted: WantedPlace): Promise<FeedStart | null> {
    if (this.#segments.length === 0 || wanted.identity !== this.#identity) return null
    return this.#find(wanted)
  }

  /**
   * `find` for a reader of this run, whose server and files it has compared before.
   *
   * @throws the error of the file system
   */
  findInRun(place: SpoolPlace): Promise<FeedStart | null> {
    return this.#find({ ...place, createdSeconds: null })
  }

  async #find(wanted: PlaceOfRun): Promise<FeedStart | null> {
    const index = this.#segments.findLastIndex(({ head }) => comparePlaces(head.first, wanted) <= 0)
    const segment = this.#segments[Math.max(0, index)]
    if (segment === undefined) return null
    segment.retain()
    try {
      return await this.#findIn(segment, wanted)
    } finally {
      segment.release()
    }
  }

  async #findIn(segment: SpoolSegment, wanted: PlaceOfRun): Promise<FeedStart | null> {
    let found: FeedStart | null = null
    /** The event that names the following transaction: a reader that starts at that transaction needs it. */
    let naming: { readonly record: RecordPlace; readonly place: SpoolPlace } | null = null
    let description = segment.head.description === null ? null : Buffer.from(segment.head.description, 'base64')
    let ended = segment.head.first
    const { end } = await scanSegment(segment, segment.bytes, ({ packet, facts, record }, tracker) => {
      const { place } = tracker
      // A server that crashed has not ended its file: the rotate event to the next one is in no file.
      const follows = isInFile(facts) || (facts.type === ROTATE && rotateTarget(packet).file !== wanted.file)
      if (follows && (isSamePlace(place, wanted) || isSamePlace(ended, wanted))) {
        const isOwn = facts.type === FORMAT_DESCRIPTION
        const known = isOwn ? packet : description
        if (known !== null && isCreatedAt(createdSecondsOf(known), wanted)) {
          const at = naming ?? { record, place }
          // A reader begins with a format description. If there are two, the second one belongs to the file.
          found = { cursor: { segment, ...at.record }, place: at.place, description: Buffer.from(known) }
        }
        return false
      }
      if (facts.type === FORMAT_DESCRIPTION) description = Buffer.from(packet)
      naming = isInFile(facts) && startsTransaction(facts) ? { record, place } : null
      ended = tracker.end
      return true
    })
    return found ?? this.#findEnd(segment, end, wanted)
  }

  /** The reader has read everything: it continues with the next added event. */
  #findEnd(segment: SpoolSegment, record: RecordPlace, wanted: PlaceOfRun): FeedStart | null {
    const { end } = this
    const { description } = this.#tracker
    // Buffered records, and records added during the search, are before the end.
    if (this.#buffered > 0 || record.offset !== segment.bytes) return null
    if (end === null || description === null || segment !== this.#segments.at(-1)) return null
    if (!isSamePlace(end.place, wanted) || !isCreatedAt(end.createdSeconds, wanted)) return null
    return { cursor: { segment, ...record }, place: end.place, description }
  }

  /**
   * Starts a run for a dump whose events do not continue the present ones, and removes those. Returns the place of the
   * first event to come.
   *
   * @param from the place from which it was requested, which is that of the stored offset
   * @param stored that offset: `offsetText`
   * @throws the error of the file system
   */
  begin(identity: string, from: SpoolPlace, stored: string): FeedStart {
    this.clear()
    this.#offsets.stored = stored
    this.#run = randomUUID()
    this.#identity = identity
    this.#tracker = new PlaceTracker(from)
    const segment = this.#newSegment(from, null)
    return { cursor: { segment, ...segment.first }, place: from, description: null }
  }

  #newSegment(first: SpoolPlace, description: Buffer | null): SpoolSegment {
    const last = this.#segments.at(-1)
    const number = last === undefined ? 0 : last.head.number + 1
    const segment = SpoolSegment.create(join(this.#options.folder, `${String(number).padStart(9, '0')}.spool`), {
      version: 1,
      run: this.#run,
      number,
      previous: last?.crc ?? 0,
      identity: this.#identity,
      variant: this.#options.variant ?? '',
      first,
      description: description?.toString('base64') ?? null,
    })
    this.#segments.push(segment)
    this.#crc = segment.crc
    this.#fileBytes += segment.bytes
    return segment
  }

  hasRoomFor(packetBytes: number): boolean {
    return this.bytes + RECORD_HEADER_BYTES + packetBytes <= this.#options.bytesMax
  }

  /**
   * Adds an event and copies its bytes. `flush` writes them to the file.
   *
   * @throws the error of the file system, and then the event was not added
   */
  add(packet: Buffer, facts: EventFacts): void {
    const isStart = startsTransaction(facts)
    if (isStart && this.#isSegmentFull) this.#roll()
    const size = RECORD_HEADER_BYTES + packet.length
    if (this.#buffered + size > this.#buffer.length) this.flush()
    if (size > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(size)
    this.#crc = writeRecord(this.#buffer, this.#buffered, packet, this.#crc)
    this.#buffered += size
    this.#tracker.take(packet, facts)
    this.#hasBegun ||= isStart
  }

  get #isSegmentFull(): boolean {
    const last = this.#segments.at(-1)
    return last !== undefined && last.bytes + this.#buffered >= segmentBytes(this.#options.bytesMax)
  }

  /** Starts a segment with the next event, which begins a transaction. */
  #roll(): void {
    this.flush()
    const { end, description } = this.#tracker
    if (description !== null) this.#newSegment(end, description)
  }

  /** Writes the buffered records. @throws the error of the file system; the records stay in the buffer then */
  flush(): void {
    const segment = this.#segments.at(-1)
    if (this.#buffered === 0 || segment === undefined) return
    if (this.isLost) throw new SpoolLockedError(`another task has taken over ${this.#options.folder}`)
    this.#unsynced.add(segment)
    segment.append(this.#buffer.subarray(0, this.#buffered), this.#crc)
    this.#fileBytes += this.#buffered
    this.#buffered = 0
    // An event may have up to 1 GiB; the next ones are smaller.
    if (this.#buffer.length > BUFFER_BYTES) this.#buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  }

  /**
   * Syncs the added records to the disk, and writes the status, for readers of the folder and for the next process.
   *
   * @throws the error of the file system
   */
  async sync(): Promise<void> {
    this.flush()
    const { end } = this
    const segments = [...this.#unsynced]
    this.#unsynced.clear()
    for (const segment of segments) await segment.sync()
    this.#durable = end
    this.#writeStatus()
  }

  #writeStatus(): void {
    const end = this.#durable
    const { stored, inDoubt } = this.#offsets
    if (end === null || end.createdSeconds === null || stored === null || this.#segments.length === 0) return
    if (this.isLost) return
    const { identity, place, createdSeconds } = end
    writeSpoolStatus(this.#options.folder, { stored, inDoubt, identity, end: place, createdSeconds })
  }

  /** Number of files. */
  get files(): number {
    return this.#segments.length
  }

  /**
   * Frees the segments whose events are all before a place.
   *
   * @param identity of the server whose place that is
   */
  trim(stored: SpoolPlace, identity: string): void {
    if (identity !== this.#identity || this.isLost) return
    const needed = this.#segments.findIndex((_, index) => {
      const next = this.#segments[index + 1]
      return next === undefined || comparePlaces(next.head.first, stored) > 0
    })
    for (const segment of this.#segments.splice(0, Math.max(0, needed))) this.#remove(segment)
  }

  /** The segment after the given one; null for the last one. */
  after({ head }: SpoolSegment): SpoolSegment | null {
    return this.#segments.find((each) => each.head.number === head.number + 1) ?? null
  }

  /** Removes all segments. Feeds end. */
  clear(): void {
    if (!this.isLost) removeSpoolStatus(this.#options.folder)
    for (const segment of this.#segments.splice(0)) this.#remove(segment)
    this.#buffered = 0
    this.#tracker = new PlaceTracker()
    this.#fileBytes = 0
    this.#hasBegun = false
    this.#offsets.stored = this.#durable = null
    this.#unsynced.clear()
  }

  #remove(segment: SpoolSegment): void {
    this.#fileBytes -= segment.bytes
    this.#unsynced.delete(segment)
    // Do not remove files: those of the new owner have the same names.
    if (this.isLost) segment.close()
    else segment.remove()
  }

  /** Closes the spool. Its files remain. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isDisposed) return
    this.#isDisposed = true
    try {
      if (this.#segments.length > 0 && this.#offsets.stored !== null) await this.sync()
    } catch {
      // The disk is full: the server sends the unwritten events again.
    } finally {
      for (const segment of this.#segments.splice(0)) segment.close()
      this.#lock[Symbol.dispose]()
    }
  }
}

export const SEGMENT_NAME: RegExp = /^\d{9}\.spool$/

function continues(head: SegmentHead, last: SpoolSegment): boolean {
  return head.run === last.head.run && head.number === last.head.number + 1 && head.previous === last.crc
}

/**
 * The size of a segment. With several segments, a part of the spool can be freed before all of it was sent. A segment
 * is a sixteenth of a small spool, else 64 MiB, or more so that no more than 256 files are open.
 */
function segmentBytes(bytesMax: number): number {
  return Math.min(bytesMax / 16, Math.max(64 << 20, bytesMax / 256))
}

function isCreatedAt(seconds: number | null, wanted: PlaceOfRun): boolean {
  return wanted.createdSeconds === null || wanted.createdSeconds === seconds
}
