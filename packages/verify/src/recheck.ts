import type { ComparableSource } from '@tributary/connector-mysql'
import type { LogRecord } from '@tributary/kafka'
import type { RowDifference } from '@tributary/rest-api'
import { compareRow, fieldsOfRecord, fieldsOfRow } from './compare-row.ts'
import { isObject, type JsonValue } from './forms/json-value.ts'
import { keysStatement } from './server/row-pages.ts'
import { type Containment, View, type ViewPlace } from './server/view.ts'
import { waitForStream } from './stream-progress.ts'
import type { RowTexts } from './table-plan.ts'
import { detached, type Found, TailStates } from './topic/tail-states.ts'
import { readRecord, withExactNumbers } from './topic/topic-record.ts'
import type { TableContext } from './table-context.ts'

/** A key whose row and record differ, or may differ, or whose state is not certain. */
export interface Candidate {
  /** Null: they are in the record. */
  texts: readonly string[] | null
  /** The record before the resume offsets; null: none. */
  readonly partition: number
  readonly offset: number
  readonly isMixed: boolean
}

/** The state of a key in the topic. */
interface KeyState {
  readonly texts: readonly string[]
  readonly isMixed: boolean
  /** The last record before the resume offsets; null: none. */
  base: Found | null
  /** Rechecks that found a difference. */
  confirmations: number
}

/**
 * Reads keys again, row by row, each time at a later position. A difference counts when it was found at two positions
 * one after the other; a key that changes while a position is read is read again.
 */
export async function recheck(
  context: TableContext,
  candidates: readonly Candidate[],
  resume: ReadonlyMap<number, bigint>,
): Promise<void> {
  const states = await statesOf(context, candidates)
  if (states === null) {
    const middle = Math.ceil(candidates.length / 2)
    await recheck(context, candidates.slice(0, middle), resume)
    return recheck(context, candidates.slice(middle), resume)
  }
  let open: readonly KeyState[] = states
  for (let round = 0; round < ROUNDS_MAX && open.length > 0; round++) {
    const [rows, place, endsBefore] = await readRows(context, open)
    await waitForStream(place.end, context.progress, context.signal)
    const tail = await readTail(context, open, { resume, place, endsBefore })
    open = open.filter((state) => !isSettled(context, state, rows.get(keyId(state.texts)) ?? null, tail))
  }
  for (const _ of open) context.result.addUnproven('the key changed each time that it was read')
}

/** A difference needs two rounds. More are needed only for keys with very many changes while a view is opened. */
const ROUNDS_MAX = 30
const KEYS_PER_STATEMENT = 100
/** Records that are kept at once. Fewer candidates are read again together when theirs are larger. */
const BASE_BYTES_MAX = 32 * 2 ** 20

function keyId(texts: readonly string[]): string {
  return texts.map((text) => `${text.length}:${text}`).join(',')
}

/** Reads the records of the candidates, for their keys and their rows. Null: they are too large together. */
async function statesOf(context: TableContext, candidates: readonly Candidate[]): Promise<readonly KeyState[] | null> {
  const { plan, topic, decoders, signal } = context
  const bases = new Map<string, Found>()
  const places = candidates.filter(({ offset }) => offset >= 0)
  let bytes = 0
  await topic.readAt(places, signal, async (record) => {
    bytes += record.value?.length ?? 0
    if (bytes > BASE_BYTES_MAX && candidates.length > 1) return
    await prepare(context, [record])
    const kept = detached(record)
    bases.set(`${record.partition}:${record.offset}`, { read: readRecord(kept, decoders, true), record: kept })
  })
  if (bytes > BASE_BYTES_MAX && candidates.length > 1) return null
  const states = new Map<string, KeyState>()
  for (const { texts: known, partition, offset, isMixed } of candidates) {
    const base = bases.get(`${partition}:${offset}`) ?? null
    const key = base !== null && 'key' in base.read ? plan.keyOfRecord(base.read.key) : null
    const texts = known ?? key
    if (texts === null) {
      context.result.addUnproven('the record of the key is no longer in the topic')
      continue
    }
    states.set(keyId(texts), { texts, isMixed, base, confirmations: 0 })
  }
  return [...states.values()]
}

export async function prepare({ decoders, signal }: TableContext, records: readonly LogRecord[]): Promise<void> {
  await decoders.key.prepare(records, signal)
  await decoders.value.prepare(records, signal)
}

type ReadRows = readonly [rows: ReadonlyMap<string, RowTexts>, place: ViewPlace, ends: ReadonlyMap<number, bigint>]

async function readRows(context: TableContext, states: readonly KeyState[]): Promise<ReadRows> {
  const { plan, source, clock, signal, topic } = context
  const endsBefore = await topic.ends(signal)
  await using view = await View.open(source, clock, signal)
  const rows = new Map<string, RowTexts>()
  const name = `${plan.table.database}.${plan.table.name}`
  for (let from = 0; from < states.length; from += KEYS_PER_STATEMENT) {
    const keys = states.slice(from, from + KEYS_PER_STATEMENT).map(({ texts }) => texts)
    const sql = keysStatement(plan, keys)
    for (const row of await view.connection.query(sql, `comparing rows of ${name}`, { signal })) {
      rows.set(keyId(plan.keyOfRow(row)), row)
    }
  }
  return [rows, view.place, endsBefore]
}

interface TailOptions {
  readonly resume: ReadonlyMap<number, bigint>
  readonly place: ViewPlace
  readonly endsBefore: ReadonlyMap<number, bigint>
}

async function readTail(
  context: TableContext,
  states: readonly KeyState[],
  { resume, place, endsBefore }: TailOptions,
): Promise<TailStates> {
  const { topic, plan, decoders, signal } = context
  const tail = new TailStates(states.map(({ texts }) => keyId(texts)))
  const before = new Map<number, Containment>()
  const ends = await topic.ends(signal)
  await topic.read({ from: resume, ends, signal }, async (records) => {
    await prepare(context, records)
    for (const record of records) {
      const read = withExactNumbers(() => readRecord(record, decoders, true))
      const isOld = record.offset < (endsBefore.get(record.partition) ?? 0n)
      const containment =
        'place' in read ? place.containmentOf(read.place) : (before.get(record.partition) ?? 'contained')
      const settled = containment === 'later' && isOld && 'place' in read ? 'contained' : containment
      before.set(record.partition, settled)
      const texts = 'key' in read ? plan.keyOfRecord(read.key) : null
      if (settled === 'later') continue
      if (read.tag === 'truncate') tail.truncate(settled)
      else if (texts !== null) tail.add(keyId(texts), { read, record }, settled)
    }
  })
  return tail
}

/** Returns false: the key has to be read again. */
function isSettled(context: TableContext, state: KeyState, row: RowTexts | null, tail: TailStates): boolean {
  const id = keyId(state.texts)
  if (tail.crowded.has(id)) return false
  const certain = tail.last.get(id) ?? (tail.isTruncated ? null : state.base)
  const possible = tail.possible.get(id) ?? []
  const verdicts = [certain, ...possible].map((current) => judge(context, state, row, current))
  const verdict = verdicts.find(({ tag }) => tag === 'equal') ?? verdicts.find(({ tag }) => tag === 'unproven')
  if (verdict?.tag === 'equal') {
    if (row !== null) context.result.rowsEqual += 1
    return true
  }
  if (verdict?.tag === 'unproven') {
    if (possible.length > 0) return false
    for (const reason of verdict.reasons) context.result.addUnproven(reason)
    return true
  }
  state.confirmations += 1
  if (state.confirmations < CONFIRMATIONS) return false
  const last = verdicts.at(-1)
  if (state.isMixed) context.result.addUnproven(MIXED)
  else if (last?.tag === 'different') context.result.add(last.difference)
  return true
}

/** Two positions: a change that was in flight at the first one has arrived at the second. */
const CONFIRMATIONS = 2
const MIXED = 'the records of the key are in several partitions, so that their order is unknown'

type Verdict =
  | { readonly tag: 'equal' }
  | { readonly tag: 'unproven'; readonly reasons: readonly string[] }
  | { readonly tag: 'different'; readonly difference: RowDifference }

function judge(context: TableContext, state: KeyState, row: RowTexts | null, current: Found | null): Verdict {
  const { plan, loss } = context
  const place = { partition: current?.record.partition ?? null, offset: offsetOf(current) }
  const key = Object.fromEntries(plan.key.map(({ name }, i) => [name, state.texts[i] ?? null]))
  const record = current !== null && current.read.tag === 'row' ? current.read.row : null
  if (row === null && record === null) {
    const isAwaited = current?.read.tag === 'delete' && context.source.tombstonesOnDelete
    if (!isAwaited) return { tag: 'equal' }
    return { tag: 'different', difference: { kind: 'without_tombstone', key, fields: [], ...place } }
  }
  if (row === null && record !== null) {
    return { tag: 'different', difference: { kind: 'extra', key, fields: fieldsOfRecord(plan, record), ...place } }
  }
  if (row === null) return { tag: 'equal' }
  if (record === null) {
    // The topic has deleted older records, or never had them: a delete is a record nevertheless.
    if (loss !== null && current === null) return { tag: 'unproven', reasons: [loss] }
    return { tag: 'different', difference: { kind: 'missing', key, fields: fieldsOfRow(plan, row), ...place } }
  }
  const { differences, unproven } = compareRow(plan, row, record, (value) => isUnavailable(context.source, value))
  if (differences.length > 0) {
    return { tag: 'different', difference: { kind: 'different', key, fields: differences, ...place } }
  }
  return unproven.length > 0 ? { tag: 'unproven', reasons: unproven } : { tag: 'equal' }
}

function offsetOf(current: Found | null): number | null {
  return current === null ? null : Number(current.record.offset)
}

function isUnavailable({ unavailable }: ComparableSource, value: JsonValue): boolean {
  if (isObject(value)) return false
  if (typeof value !== 'string') return false
  const text = unavailable.toString()
  return value === text || value === unavailable.toString('base64') || value === JSON.stringify({ [text]: text })
}
