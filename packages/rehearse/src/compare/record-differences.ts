import type { ComparedRecord } from './compared-record.ts'
import type { DecodedPart } from './decoded-record.ts'
import type { FoundDifference } from './deliberate.ts'
import { documentDifferences, type FieldDifference } from './document-differences.ts'
import { ExactNumber, type JsonValue, parseExactly } from './json-value.ts'

export interface ComparisonForm {
  /** Decimals are texts on one side and numbers on the other. */
  readonly isKeyLoose: boolean
  readonly isValueLoose: boolean
}

/** All places where two records of the same event differ. */
export class RecordDifferences {
  readonly #form: ComparisonForm
  /** Pairs of schemas that were compared. */
  readonly #schemas = new Map<string, readonly FoundDifference[]>()

  constructor(form: ComparisonForm) {
    this.#form = form
  }

  between(theirs: ComparedRecord, ours: ComparedRecord): readonly FoundDifference[] {
    const { isKeyLoose, isValueLoose } = this.#form
    return [
      ...this.#ofPart('key', theirs.decoded.key, ours.decoded.key, isKeyLoose),
      ...this.#ofPart('value', theirs.decoded.value, ours.decoded.value, isValueLoose),
      ...headerDifferences(theirs, ours),
      ...partitionDifferences(theirs, ours),
    ]
  }

  #ofPart(
    kind: 'key' | 'value',
    theirs: DecodedPart | null,
    ours: DecodedPart | null,
    isLoose: boolean,
  ): readonly FoundDifference[] {
    if (theirs === null || ours === null) {
      return theirs === ours ? [] : [{ kind, path: kind, theirs: theirs?.payload, ours: ours?.payload }]
    }
    const fields = documentDifferences(theirs.payload, ours.payload, kind)
    const found = isLoose ? fields.filter((field) => !isSameText(field)) : fields
    return [...this.#ofSchemas(kind, theirs.schema, ours.schema), ...found.map((field) => ({ kind, ...field }))]
  }

  #ofSchemas(part: 'key' | 'value', theirs: string | null, ours: string | null): readonly FoundDifference[] {
    if (theirs === ours) return []
    const pair = `${theirs}\0${ours}`
    let found = this.#schemas.get(pair)
    if (found === undefined) {
      const document = (text: string | null): JsonValue | undefined => (text === null ? undefined : parseExactly(text))
      const fields = documentDifferences(document(theirs), document(ours), `${part} schema`)
      const spelled: readonly FieldDifference[] =
        fields.length > 0 ? fields : [{ path: `${part} schema (spelling)`, theirs: theirs ?? '', ours: ours ?? '' }]
      found = spelled.map((field) => ({ kind: 'schema', ...field }))
      if (this.#schemas.size >= SCHEMA_PAIRS_MAX) this.#schemas.clear()
      this.#schemas.set(pair, found)
    }
    return found
  }
}

const SCHEMA_PAIRS_MAX = 500

/**
 * A decimal is a text in Avro read as JSON, and a double has another spelling. Integers are compared by their digits.
 */
function isSameText({ theirs, ours }: FieldDifference): boolean {
  const [one, other] = [numberText(theirs), numberText(ours)]
  // Only decimals may differ in their types. Without the schema, any text may be a decimal.
  if (one === null || other === null || typeof ours === 'string') return false
  if (one === other) return true
  const isDouble = typeof theirs !== 'string' && [one, other].some((text) => !/^-?\d+$/.test(text))
  return isDouble && Number(one) === Number(other)
}

function numberText(value: JsonValue | undefined): string | null {
  if (value instanceof ExactNumber) return value.text
  return typeof value === 'number' || typeof value === 'string' ? String(value) : null
}

function headerDifferences(theirs: ComparedRecord, ours: ComparedRecord): readonly FoundDifference[] {
  const [one, other] = [theirs.decoded.headers, ours.decoded.headers]
  return Array.from({ length: Math.max(one.length, other.length) }, (_, i): readonly FoundDifference[] => {
    const [before, now] = [one[i], other[i]]
    if (before?.name === now?.name && before?.text === now?.text) return []
    const path = `headers.${before?.name ?? now?.name ?? ''}`
    const shown = (header: typeof before): JsonValue | undefined =>
      header === undefined ? undefined : header.name === (before?.name ?? header.name) ? header.text : header.name
    return [{ kind: 'header', path, theirs: shown(before), ours: shown(now) }]
  }).flat()
}

function partitionDifferences(theirs: ComparedRecord, ours: ComparedRecord): readonly FoundDifference[] {
  if (ours.partition === null || ours.partition === theirs.partition) return []
  return [{ kind: 'partition', path: '', theirs: theirs.partition ?? undefined, ours: ours.partition }]
}
