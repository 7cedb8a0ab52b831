import {
  type ConnectValue,
  ConfigError,
  derive,
  type PredicatePlugin,
  type SourceRecord,
  Struct,
  StructDerivation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { CodedError, silentLogger } from '@tributary/support'
import { encodedText, plainText } from '@tributary/testkit'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { readRecord, type RecordNotation, writeRecord } from './record-notation.ts'

/** A class with options, and records for it. */
export interface OracleCase {
  readonly name: string
  /** Of Java. */
  readonly class: string
  readonly options: Readonly<Record<string, string>>
  readonly records: readonly RecordNotation[]
}

/** What the class in Java has done: refused the options, or handled each record. */
export interface RecordedCase extends OracleCase {
  readonly refused?: string
  readonly results?: readonly OracleResult[]
}

/** Exactly one member is present. `record` null: it was dropped. */
export interface OracleResult {
  readonly record?: RecordNotation | null
  readonly test?: boolean
  readonly error?: string
}

export interface Comparison {
  readonly plugins: readonly (TransformationPlugin | PredicatePlugin)[]
  /**
   * Cases with another outcome, with the reason: a defect of the original, or what this implementation refuses. A case
   * with the same outcome must be removed.
   */
  readonly deviations?: Readonly<Record<string, string>>
  /** True: errors have texts of their own, which the original has not. Default: equal texts. */
  readonly hasOwnTexts?: boolean
}

/** The cases of `fixtures/NAME.jsonl.gz`. */
export function recordedCases(name: string): readonly RecordedCase[] {
  const file = readFileSync(new URL(`../../fixtures/${name}.jsonl.gz`, import.meta.url))
  return gunzipSync(file)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedCase)
}

/** The forms in which a connector hands over the same values. */
const FORMS: readonly ((notation: RecordNotation) => SourceRecord)[] = [
  (notation) => readRecord(notation, plainText),
  (notation) => asDerived(readRecord(notation, encodedText)),
]

/** Asserts that our class does the same, for each form of the records. */
export function assertSameOutcome(recorded: RecordedCase, { plugins, deviations = {}, hasOwnTexts }: Comparison): void {
  const reason = deviations[recorded.name]
  for (const form of FORMS) {
    const [ours, theirs] = outcomes(recorded, plugins, form)
    const [left, right] =
      hasOwnTexts === true ? [withoutTexts(ours), withoutTexts(theirs)] : [withoutRemedies(ours, theirs), theirs]
    const [a, b] = [withSortedMaps(left), withSortedMaps(right)]
    if (reason === undefined) assert.deepEqual(a, b, recorded.name)
    else assert.notDeepEqual(a, b, `${recorded.name} has the same outcome now: remove it from the deviations`)
  }
}

interface Outcome {
  readonly refused: string | null
  readonly results: readonly OracleResult[]
}

function outcomes(
  recorded: RecordedCase,
  plugins: Comparison['plugins'],
  form: (notation: RecordNotation) => SourceRecord,
): readonly [ours: Outcome, theirs: Outcome] {
  const theirs = { refused: recorded.refused ?? null, results: recorded.results ?? [] }
  const plugin = plugins.find(({ className }) => className === recorded.class)
  assert.ok(plugin !== undefined, `there is no class ${recorded.class}`)
  const stage = plugin.create()
  try {
    plugin.config.parse(recorded.options)
    stage.configure(recorded.options, { logger: silentLogger })
  } catch (error) {
    if (error instanceof ConfigError || error instanceof CodedError)
      return [{ refused: error.message, results: [] }, theirs]
    throw error
  }
  const results = recorded.records.map((notation) => {
    const record = form(notation)
    try {
      if ('test' in stage) return { test: stage.test(record) }
      const changed = stage.apply(record)
      return { record: changed === null ? null : writeRecord(changed) }
    } catch (error) {
      assert.ok(error instanceof CodedError, String(error))
      return { error: error.message }
    }
  })
  return [{ refused: null, results: JSON.parse(JSON.stringify(results)) as readonly OracleResult[] }, theirs]
}

/** Our texts begin with those of the original; a remedy follows. */
function withoutRemedies({ refused, results }: Outcome, theirs: Outcome): Outcome {
  const cut = (text: string, original: string | null | undefined): string =>
    original !== null && original !== undefined && text.startsWith(original) ? original : text
  return {
    refused: refused === null ? null : cut(refused, theirs.refused),
    results: results.map((result, i) =>
      result.error === undefined ? result : { error: cut(result.error, theirs.results[i]?.error) },
    ),
  }
}

function withoutTexts({ refused, results }: Outcome): Outcome {
  return {
    refused: refused === null ? null : '…',
    results: results.map((result) => (result.error === undefined ? result : { error: '…' })),
  }
}

/** The same record with structs that refer to others, at all levels. */
function asDerived(record: SourceRecord): SourceRecord {
  return { ...record, key: derivedValue(record.key), value: derivedValue(record.value) }
}

function derivedValue(value: ConnectValue): ConnectValue {
  if (!(value instanceof Struct)) return value
  const { schema } = value
  const base = new Struct(
    schema,
    schema.fields.map(({ index }) => derivedValue(value.at(index))),
  )
  return derive(new StructDerivation(schema, schema.fields.keys()), base, [])
}

/** Classes make a HashMap of a map without a schema: its entries have no order. */
function withSortedMaps(outcome: unknown): unknown {
  if (Array.isArray(outcome)) return outcome.map(withSortedMaps)
  if (typeof outcome !== 'object' || outcome === null) return outcome
  const members = Object.entries(outcome).map(([name, member]: [string, unknown]) => {
    const sorted = withSortedMaps(member)
    const isMap = name === 'map' && Array.isArray(sorted)
    return [name, isMap ? sorted.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : sorted]
  })
  return Object.fromEntries(members)
}
