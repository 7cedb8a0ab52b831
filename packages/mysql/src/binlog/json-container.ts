import type { ByteWriter } from '@tributary/support'
import { writeJsonString } from '../values/json-string.ts'
import {
  isJsonInlined,
  type JsonDocument,
  JsonType,
  readJsonOffset,
  takeJsonBytes,
  writeJsonValue,
} from './json-binary.ts'
import type { JsonStep } from './json-path.ts'

/** A value that is written into a container later than the container was stored. */
export interface NewJsonValue {
  /** `depth`: how many containers the value is in. */
  write(depth: number, out: ByteWriter): void
}

/** A value where it is stored. */
export interface StoredJson {
  readonly document: JsonDocument
  readonly type: number
  readonly at: number
}

interface NewEntry<V> {
  /** Null in an array. */
  readonly key: Buffer | null
  readonly value: V
}

/**
 * A stored object or array whose entries change. Unchanged entries stay where they are stored and take eight bytes each:
 * a document may have millions. Grammar: json-binary.ts.
 */
export class JsonContainer<V extends NewJsonValue> {
  readonly #document: JsonDocument
  readonly #start: number
  readonly #isLarge: boolean
  readonly #isObject: boolean
  readonly #keyEntries: number
  readonly #valueEntries: number
  /** In the order of the entries: the number of a stored entry, or -1 - the index of a new one. */
  readonly #slots: number[]
  readonly #added: NewEntry<V>[] = []

  /** Throws RangeError for a scalar, and for an object or array that its document does not contain. */
  constructor({ document, type, at: start }: StoredJson) {
    if (type > JsonType.largeArray) throw misfit()
    this.#document = document
    this.#start = start
    this.#isLarge = type === JsonType.largeObject || type === JsonType.largeArray
    this.#isObject = type <= JsonType.largeObject
    const size = this.#isLarge ? 4 : 2
    takeJsonBytes(document, start, 2 * size)
    const count = readJsonOffset(document.bytes, start, this.#isLarge)
    const keyEntryBytes = this.#isObject ? size + 2 : 0
    this.#keyEntries = start + 2 * size
    this.#valueEntries = this.#keyEntries + count * keyEntryBytes
    takeJsonBytes(document, this.#keyEntries, count * (keyEntryBytes + 1 + size))
    this.#slots = Array.from({ length: count }, (_, i) => i)
  }

  /** The index of the existing entry that a step leads to. Throws RangeError if there is none. */
  indexOf(step: JsonStep): number {
    if ((step.tag === 'member') !== this.#isObject) throw misfit()
    if (step.tag === 'member') {
      const { index, isFound } = this.#find(step.name)
      if (!isFound) throw misfit()
      return index
    }
    const { length } = this.#slots
    const index = step.isFromEnd ? length - 1 - step.index : step.index
    if (index < 0 || index >= length) throw misfit()
    return index
  }

  /** The entry at an index, where it is stored or as it was set. */
  at(index: number): StoredJson | V {
    const slot = this.#slots[index] as number
    return slot < 0 ? (this.#added[-1 - slot] as NewEntry<V>).value : this.#stored(slot)
  }

  replace(index: number, value: V): void {
    const key = this.#isObject ? this.#keyAt(index) : null
    this.#slots[index] = this.#add({ key, value })
  }

  /** Throws RangeError for a member that exists, and for a step that the container cannot have. */
  insert(step: JsonStep, value: V): void {
    if ((step.tag === 'member') !== this.#isObject) throw misfit()
    if (step.tag === 'member') {
      const { index, isFound } = this.#find(step.name)
      if (isFound) throw misfit()
      this.#slots.splice(index, 0, this.#add({ key: step.name, value }))
      return
    }
    const { length } = this.#slots
    // As on the server, an index beyond either end means that end.
    const index = step.isFromEnd ? Math.max(0, length - 1 - step.index) : Math.min(step.index, length)
    this.#slots.splice(index, 0, this.#add({ key: null, value }))
  }

  remove(index: number): void {
    this.#slots.splice(index, 1)
  }

  write(depth: number, out: ByteWriter): void {
    out.byte(this.#isObject ? 0x7b : 0x5b)
    for (const [i, slot] of this.#slots.entries()) {
      if (i > 0) out.byte(0x2c)
      if (this.#isObject) this.#writeKey(i, slot, out)
      if (slot < 0) (this.#added[-1 - slot] as NewEntry<V>).value.write(depth + 1, out)
      else {
        const { document, type, at } = this.#stored(slot)
        writeJsonValue(document, type, at, depth + 1)
      }
    }
    out.byte(this.#isObject ? 0x7d : 0x5d)
  }

  #writeKey(index: number, slot: number, out: ByteWriter): void {
    const key = this.#keyAt(index)
    // A new key is not of the document.
    if (slot >= 0) takeJsonBytes(this.#document, 0, key.length)
    writeJsonString(key, 0, key.length, out)
    out.byte(0x3a)
  }

  #add(entry: NewEntry<V>): number {
    this.#added.push(entry)
    return -this.#added.length
  }

  #stored(slot: number): StoredJson {
    const { bytes } = this.#document
    const entry = this.#valueEntries + slot * (this.#isLarge ? 5 : 3)
    const type = bytes[entry] as number
    const isInlined = isJsonInlined(type, this.#isLarge)
    const at = isInlined ? entry + 1 : this.#start + readJsonOffset(bytes, entry + 1, this.#isLarge)
    return { document: this.#document, type, at }
  }

  #keyAt(index: number): Buffer {
    const slot = this.#slots[index] as number
    if (slot < 0) return (this.#added[-1 - slot] as NewEntry<V>).key as Buffer
    const { bytes, end } = this.#document
    const size = this.#isLarge ? 4 : 2
    const entry = this.#keyEntries + slot * (size + 2)
    const from = this.#start + readJsonOffset(bytes, entry, this.#isLarge)
    const to = from + bytes.readUInt16LE(entry + size)
    if (to > end) throw new RangeError('a JSON document points outside itself')
    return bytes.subarray(from, to)
  }

  /** Where a key is, or where it belongs: shorter ones are first, then their bytes decide. */
  #find(name: Buffer): { readonly index: number; readonly isFound: boolean } {
    let low = 0
    let high = this.#slots.length
    while (low < high) {
      const middle = (low + high) >> 1
      const key = this.#keyAt(middle)
      const order = key.length === name.length ? key.compare(name) : key.length - name.length
      if (order === 0) return { index: middle, isFound: true }
      if (order < 0) low = middle + 1
      else high = middle
    }
    return { index: low, isFound: false }
  }
}

function misfit(): RangeError {
  return new RangeError('a change of a JSON document does not fit the document before it')
}
