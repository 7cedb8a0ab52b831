import type { ByteWriter } from '@tributary/support'
import { JSON_DEPTH_MAX, JsonType, writeJsonValue } from './json-binary.ts'
import { JsonContainer, type NewJsonValue, type StoredJson } from './json-container.ts'
import { type ByteRange, type JsonDiff, readJsonDiffs } from './json-diff.ts'

/**
 * Writes the text of a binary JSON document after changes, in the form of `writeJsonText`. Both are in `bytes`. Throws
 * RangeError for bytes that are not a document or changes of it: a path that leads nowhere is one.
 */
export function writePatchedJson(bytes: Buffer, document: ByteRange, diffs: ByteRange, out: ByteWriter): void {
  const root = new PatchedValue(storedIn(bytes, document, out))
  for (const diff of readJsonDiffs(bytes, diffs)) apply(root, diff, (value) => storedIn(bytes, value, out))
  root.write(0, out)
}

/** A value that a change has set or leads through. */
class PatchedValue implements NewJsonValue {
  #value: StoredJson | JsonContainer<PatchedValue>

  constructor(value: StoredJson) {
    this.#value = value
  }

  set(value: StoredJson): void {
    this.#value = value
  }

  /** Takes the value apart. Throws RangeError for a scalar. */
  open(): JsonContainer<PatchedValue> {
    if (!(this.#value instanceof JsonContainer)) this.#value = new JsonContainer(this.#value)
    return this.#value
  }

  write(depth: number, out: ByteWriter): void {
    const value = this.#value
    if (!(value instanceof JsonContainer)) writeJsonValue(value.document, value.type, value.at, depth)
    else if (depth < JSON_DEPTH_MAX) value.write(depth, out)
    else throw new RangeError(`a JSON document is deeper than ${JSON_DEPTH_MAX}`)
  }
}

function storedIn(bytes: Buffer, { start, end }: ByteRange, out: ByteWriter): StoredJson {
  // As in `writeJsonText`: an empty value is null.
  if (start === end) return storedIn(NULL_DOCUMENT, { start: 0, end: NULL_DOCUMENT.length }, out)
  const document = { bytes, end, out, bytesLeft: end - start }
  return { document, type: bytes[start] as number, at: start + 1 }
}

const NULL_DOCUMENT = Buffer.from([JsonType.literal, 0])

function apply(root: PatchedValue, diff: JsonDiff, stored: (value: ByteRange) => StoredJson): void {
  const last = diff.path.at(-1)
  if (last === undefined) {
    if (diff.tag !== 'replace') throw new RangeError('a change of a JSON document inserts or removes all of it')
    root.set(stored(diff.value))
    return
  }
  let container = root.open()
  for (const step of diff.path.slice(0, -1)) container = innerOf(container, container.indexOf(step))
  if (diff.tag === 'insert') container.insert(last, new PatchedValue(stored(diff.value)))
  else if (diff.tag === 'remove') container.remove(container.indexOf(last))
  else container.replace(container.indexOf(last), new PatchedValue(stored(diff.value)))
}

function innerOf(container: JsonContainer<PatchedValue>, index: number): JsonContainer<PatchedValue> {
  const value = container.at(index)
  if (value instanceof PatchedValue) return value.open()
  const inner = new PatchedValue(value)
  const opened = inner.open()
  container.replace(index, inner)
  return opened
}
