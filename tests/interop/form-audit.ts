import assert from 'node:assert/strict'
import type { LogRecord } from '@tributary/kafka'
import { sideOf, type Side } from './side.ts'

/** A change event with its schema, as the JSON converter writes it. */
interface Document {
  readonly schema: { readonly fields: readonly (Named & { readonly fields?: readonly Named[] })[] }
  readonly payload: {
    readonly op?: string
    readonly source: Readonly<Record<string, unknown>> & { readonly version: string }
  }
}

interface Named {
  readonly field: string
}

/**
 * Checks that the records of a topic have one form, whichever side wrote them: each version of the table has one
 * schema, to the byte, headers have the same names, and every key has one spelling and one partition.
 */
export class FormAudit {
  readonly #partitions = new Map<string, Set<number>>()
  readonly #keySchemas = new Set<string>()
  /** By schema: the sides that wrote records with it. */
  readonly #valueSchemas = new Map<string, Set<Side>>()
  /** Lists of names by kind of event. */
  readonly #headerNames = new Map<string, Set<string>>()
  /** Change events by side; tombstones do not identify theirs. */
  readonly events: Record<Side, number> = { tributary: 0, connect: 0 }
  snapshotEvents = 0

  add(record: LogRecord): void {
    const key = record.key?.toString() ?? ''
    const { schema: keySchema, payload: keyPayload } = JSON.parse(key) as Readonly<Record<string, unknown>>
    this.#keySchemas.add(JSON.stringify(keySchema))
    const id = JSON.stringify(keyPayload)
    addTo(this.#partitions, id, record.partition)
    if (record.value === null) return
    const { schema, payload } = JSON.parse(record.value.toString()) as Document
    const side = sideOf(payload.source.version)
    this.events[side] += 1
    if (payload.op === 'r') this.snapshotEvents += 1
    addTo(this.#valueSchemas, JSON.stringify(schema), side)
    assert.deepEqual(
      Object.keys(payload.source).toSorted(),
      (schema.fields.find(({ field }) => field === 'source')?.fields ?? []).map(({ field }) => field).toSorted(),
    )
    const names = record.headers.map((header) => header.key.toString()).join()
    addTo(this.#headerNames, /newkey|oldkey/.exec(names)?.[0] ?? 'other', names)
  }

  /** Throws unless every version of the table has one form, and both sides wrote in one of them. */
  finish({ partitions, versions }: ExpectedForms): void {
    const used = [...this.#partitions.values()]
    assert.deepEqual(new Set(used.map(({ size }) => size)), new Set([1]), 'a key is in several partitions')
    assert.ok(new Set(used.flatMap((each) => [...each])).size >= partitions)
    assert.equal(this.#keySchemas.size, 1, [...this.#keySchemas].join('\n'))
    assert.equal(this.#valueSchemas.size, versions, [...this.#valueSchemas.keys()].join('\n'))
    const ofBoth = [...this.#valueSchemas.values()].filter(({ size }) => size === 2)
    assert.ok(ofBoth.length > 0, 'no version of the table has events of both sides')
    for (const [kind, lists] of this.#headerNames) {
      assert.equal(lists.size, 1, `headers of ${kind} events: ${[...lists].join(' or ')}`)
    }
  }
}

export interface ExpectedForms {
  /** How many partitions the keys are spread over, at least. */
  readonly partitions: number
  /** How many versions of the table there are with events. */
  readonly versions: number
}

function addTo<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  sets.set(key, (sets.get(key) ?? new Set<T>()).add(value))
}
