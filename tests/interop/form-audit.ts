import assert from 'node:assert/strict'
import type { LogRecord } from '@tributary/kafka'
import { sideOf, type Side } from './side.ts'

/** A change event with its schema, as the JSON converter writes it. */
interface Document {
  readonly schema: { readonly fields: readonly { readonly field: string; readonly fields?: readonly Named[] }[] }
  readonly payload: {
    readonly op?: string
    readonly source: Readonly<Record<string, unknown>> & { readonly version: string }
  }
}

interface Named {
  readonly field: string
  readonly type: string
}

/**
 * Looks whether the records of a topic have one form whoever wrote them: schemas are the same to the byte wherever the table has
 * the same columns, so are the names of the headers, and every key has one spelling and one partition.
 */
export class FormAudit {
  readonly #partitions = new Map<string, Set<number>>()
  readonly #keySchemas = new Set<string>()
  /** Schema texts by columns of the table, with who wrote them. */
  readonly #valueSchemas = new Map<string, Map<string, Set<Side>>>()
  readonly #headerNames = new Map<string, Map<string, Set<Side>>>()
  /** Change events by who wrote them; tombstones do not say. */
  readonly events: Record<Side, number> = { tributary: 0, connect: 0 }
  snapshotEvents = 0

  add(record: LogRecord): void {
    const key = record.key?.toString() ?? ''
    const { schema: keySchema, payload: keyPayload } = JSON.parse(key) as Readonly<Record<string, unknown>>
    this.#keySchemas.add(JSON.stringify(keySchema))
    const id = JSON.stringify(keyPayload)
    this.#partitions.set(id, (this.#partitions.get(id) ?? new Set()).add(record.partition))
    if (record.value === null) return
    const { schema, payload } = JSON.parse(record.value.toString()) as Document
    const side = sideOf(payload.source.version)
    this.events[side] += 1
    if (payload.op === 'r') this.snapshotEvents += 1
    note(this.#valueSchemas, columnsOf(schema), JSON.stringify(schema), side)
    assert.deepEqual(
      Object.keys(payload.source).toSorted(),
      (schema.fields.find(({ field }) => field === 'source')?.fields ?? []).map(({ field }) => field).toSorted(),
    )
    const names = record.headers.map((header) => header.key.toString()).join()
    note(this.#headerNames, names.includes('newkey') || names.includes('oldkey') ? 'key change' : 'any', names, side)
  }

  /** Throws unless there is one form, and both sides wrote in it. `partitions`: how many the keys are spread over. */
  finish(partitions: number): void {
    const used = [...this.#partitions.values()]
    assert.deepEqual(new Set(used.map(({ size }) => size)), new Set([1]), 'a key is in several partitions')
    assert.equal(new Set(used.flatMap((each) => [...each])).size, partitions)
    assert.equal(this.#keySchemas.size, 1, [...this.#keySchemas].join('\n'))
    for (const forms of [this.#valueSchemas, this.#headerNames]) {
      const several = [...forms.values()].filter(({ size }) => size > 1)
      assert.deepEqual(several, [], 'records have several forms')
    }
    assert.ok(this.#formsOfBoth() > 0, 'no version of the table has events of both')
  }

  /** In how many versions of the table both sides wrote. */
  #formsOfBoth(): number {
    return [...this.#valueSchemas.values()].filter((texts) => [...texts.values()].some(({ size }) => size === 2)).length
  }
}

/** The columns of the `after` struct, with their types. */
function columnsOf({ fields }: Document['schema']): string {
  const after = fields.find(({ field }) => field === 'after')?.fields ?? []
  return after.map(({ field, type }) => `${field} ${type}`).join()
}

function note(forms: Map<string, Map<string, Set<Side>>>, group: string, text: string, side: Side): void {
  const texts = forms.get(group) ?? new Map<string, Set<Side>>()
  forms.set(group, texts.set(text, (texts.get(text) ?? new Set()).add(side)))
}
