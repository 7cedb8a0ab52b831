/** A step of a path in a JSON document: a member of an object, or an element of an array. */
export type JsonStep =
  /** Its name in UTF-8, as keys are stored. */
  | { readonly tag: 'member'; readonly name: Buffer }
  /** From 0, or from the last element back: `last` is 0, `last-1` is 1. */
  | { readonly tag: 'element'; readonly index: number; readonly isFromEnd: boolean }

/**
 * Reads a path as the server writes it into the binlog (json_path.cc, Json_path_leg::to_string): `$`, then `.name`,
 * `."name"` with the escapes of a JSON string, or `[3]`. Throws RangeError for any other text.
 */
export function parseJsonPath(bytes: Buffer, start: number, end: number): readonly JsonStep[] {
  if (start >= end || bytes[start] !== DOLLAR) throw new RangeError('a path in a JSON document does not begin with $')
  const steps: JsonStep[] = []
  for (let at = start + 1; at < end;) {
    const { step, next } = bytes[at] === DOT ? readMember(bytes, at + 1, end) : readElement(bytes, at, end)
    if (steps.push(step) > STEPS_MAX) throw new RangeError(`a path in a JSON document has more than ${STEPS_MAX} steps`)
    at = next
  }
  return steps
}

interface ReadStep {
  readonly step: JsonStep
  /** Where the following step begins. */
  readonly next: number
}

function readMember(bytes: Buffer, start: number, end: number): ReadStep {
  if (bytes[start] === QUOTE) return readQuotedMember(bytes, start, end)
  let next = start
  while (next < end && bytes[next] !== DOT && bytes[next] !== BRACKET) next += 1
  if (next === start) throw new RangeError('a path in a JSON document has a member without a name')
  return { step: { tag: 'member', name: bytes.subarray(start, next) }, next }
}

function readQuotedMember(bytes: Buffer, start: number, end: number): ReadStep {
  let at = start + 1
  while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  if (at >= end) throw new RangeError('a name in the path of a JSON document does not end')
  const name = Buffer.from(unquoted(bytes.utf8Slice(start, at + 1)))
  return { step: { tag: 'member', name }, next: at + 1 }
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    throw new RangeError('a name in the path of a JSON document is not a JSON string')
  }
}

function readElement(bytes: Buffer, start: number, end: number): ReadStep {
  // Longer than any index of the server.
  const text = bytes.latin1Slice(start, Math.min(end, start + 32))
  const match = /^\[(last(?:-(\d{1,10}))?|\d{1,10})\]/.exec(text)
  if (match === null) throw new RangeError('a path in a JSON document has a step that is neither member nor element')
  const [whole, index = '', back = '0'] = match
  const isFromEnd = index.startsWith('last')
  const step: JsonStep = { tag: 'element', index: Number(isFromEnd ? back : index), isFromEnd }
  return { step, next: start + whole.length }
}

/** A step leads into a container, and no document is deeper. */
const STEPS_MAX = 100
const DOLLAR = 0x24
const DOT = 0x2e
const BRACKET = 0x5b
const QUOTE = 0x22
const BACKSLASH = 0x5c
