import { prepare, recheck, type Candidate } from './recheck.ts'
import { rowPages } from './server/row-pages.ts'
import { View } from './server/view.ts'
import { KEY, KeyMap, type Part } from './state/key-map.ts'
import type { Hash64 } from './state/row-hash.ts'
import { waitForStream } from './stream-progress.ts'
import type { TableContext } from './table-context.ts'
import type { RowTexts } from './table-plan.ts'
import { isInShare, type Share, TopicState } from './topic/topic-state.ts'

/**
 * Compares a table with the state that its topic yields at one position, without locks.
 *
 *     view of the table (a transaction) ─▶ wait until the topic has what it contains
 *        ─▶ fold the topic up to the view: key → hash of the row
 *        ─▶ read the rows of the view: compare hashes, mark keys that were seen
 *        ─▶ keys that differ, were not seen, or are uncertain: read again, row by row (`recheck`)
 *
 * Keys are kept as hashes in flat memory of limited size. When it is full, the pass continues with half of the keys, and
 * another pass follows for the others.
 */
export async function compareTable(context: TableContext): Promise<void> {
  const shares: Share[] = [{ bits: 0, residue: 0 }]
  for (let share = shares.shift(); share !== undefined; share = shares.shift()) {
    const isLimited = await new Pass(context, share, (other) => shares.push(other)).run()
    if (isLimited) return context.result.end(LIMITED)
  }
  context.result.end(null)
}

const LIMITED = 'The comparison of the table ended early: too many of its rows differ, or cannot be compared'

/** Differences and rows without proof, after which a table is not compared further. */
const FINDINGS_MAX = 50_000
/** Candidates that are checked together: each needs its key and, for a while, its record. */
const CANDIDATES_MAX = 5_000

class Pass {
  readonly #context: TableContext
  #share: Share
  readonly #onSplit: (other: Share) => void
  readonly #map = new KeyMap()
  readonly #key: Hash64 = { low: 0, high: 0 }
  readonly #row: Hash64 = { low: 0, high: 0 }
  #candidates: Candidate[] = []
  #resume: ReadonlyMap<number, bigint> = new Map()

  constructor(context: TableContext, share: Share, onSplit: (other: Share) => void) {
    this.#context = context
    this.#share = share
    this.#onSplit = onSplit
  }

  /** Returns true when it ended early. */
  async run(): Promise<boolean> {
    const { source, clock, signal, result, progress, topic } = this.#context
    const endsBefore = await topic.ends(signal)
    await using view = await View.open(source, clock, signal)
    result.position = view.place.text
    this.#note('waiting until the topic has what the table has')
    await waitForStream(view.place.end, progress, signal)
    await this.#foldTopic(view, endsBefore)
    this.#note('reading the table')
    await this.#readTable(view)
    this.#note('checking keys that differ')
    for (const part of this.#map.parts) await this.#collectUnseen(part)
    await this.#check()
    return this.#isOverLimit
  }

  get #isOverLimit(): boolean {
    const { result } = this.#context
    return result.differences + result.unproven > FINDINGS_MAX
  }

  #note(text: string): void {
    const { bits, residue } = this.#share
    this.#context.result.note = bits === 0 ? text : `${text} (part ${residue + 1} of ${2 ** bits} of the keys)`
    this.#context.onProgress()
  }

  async #foldTopic(view: View, endsBefore: ReadonlyMap<number, bigint>): Promise<void> {
    const { topic, plan, decoders, source, result, signal } = this.#context
    this.#note('reading the topic')
    const ends = await topic.ends(signal)
    const state = new TopicState({
      plan,
      decoders,
      map: this.#map,
      place: view.place,
      tombstonesOnDelete: source.tombstonesOnDelete,
      endsBefore,
      isWanted: (high) => isInShare(this.#share, high),
    })
    await topic.read({ from: null, ends, signal }, async (records) => {
      await prepare(this.#context, records)
      for (const record of records) state.apply(record)
      result.recordsRead += records.length
      while (this.#map.bytes > this.#context.memoryBytesMax && this.#share.bits < SHARE_BITS_MAX) this.#split()
      this.#context.onProgress()
    })
    this.#resume = state.resumeFrom(ends)
  }

  /** Half of the keys are left to a later pass. */
  #split(): void {
    const { bits, residue } = this.#share
    this.#share = { bits: bits + 1, residue }
    this.#onSplit({ bits: bits + 1, residue: residue + 2 ** bits })
    this.#map.retain((_low, high) => isInShare(this.#share, high))
  }

  async #readTable(view: View): Promise<void> {
    const { plan, rowsPerSecond, pageRows, clock, signal, result } = this.#context
    const { connection } = view
    for await (const rows of rowPages({ plan, connection, pageRows, rowsPerSecond, clock, signal })) {
      for (const row of rows) this.#compare(row)
      result.rowsRead += rows.length
      if (this.#candidates.length >= CANDIDATES_MAX) await this.#check()
      this.#context.onProgress()
      if (this.#isOverLimit) return
    }
  }

  #compare(row: RowTexts): void {
    const { plan, result } = this.#context
    const texts = plan.keyOfRow(row)
    plan.hashKey(texts, this.#key)
    if (!isInShare(this.#share, this.#key.high)) return
    const map = this.#map
    if (!map.find(this.#key)) {
      this.#candidates.push({ texts, partition: 0, offset: -1, isMixed: false })
      return
    }
    const { part, slot } = map
    const flags = part.flags[slot] as number
    part.flags[slot] = flags | KEY.seen
    const isCertain = (flags & KEY.live) !== 0 && (flags & KEY.uncertain) === 0
    const isEqual =
      isCertain &&
      plan.hashRow(row, this.#row) &&
      part.rowLow[slot] === this.#row.low &&
      part.rowHigh[slot] === this.#row.high
    if (isEqual) result.rowsEqual += 1
    else this.#candidates.push({ ...candidateAt(part, slot), texts })
  }

  /** Keys of which only the topic has a row, or a delete without its tombstone. */
  async #collectUnseen(part: Part): Promise<void> {
    for (let slot = 0; slot < part.capacity; slot++) {
      const flags = part.flags[slot] as number
      const isOpen = (flags & (KEY.live | KEY.awaitsTombstone | KEY.uncertain)) !== 0
      if (!isOpen || (flags & KEY.seen) !== 0) continue
      this.#candidates.push(candidateAt(part, slot))
      if (this.#candidates.length >= CANDIDATES_MAX) await this.#check()
      if (this.#isOverLimit) return
    }
  }

  async #check(): Promise<void> {
    const candidates = this.#candidates
    this.#candidates = []
    if (candidates.length > 0) await recheck(this.#context, candidates, this.#resume)
    this.#context.onProgress()
  }
}

/** 64 passes of 200 MB: half a billion keys. */
const SHARE_BITS_MAX = 6

function candidateAt(part: Part, slot: number): Candidate {
  const isMixed = ((part.flags[slot] as number) & KEY.mixed) !== 0
  return { texts: null, partition: part.partition[slot] as number, offset: part.offset[slot] as number, isMixed }
}
