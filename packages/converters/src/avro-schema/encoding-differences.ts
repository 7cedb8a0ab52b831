import { parseAvroSchema, type AvroField, type AvroType } from './avro-document.ts'

/**
 * Describes the differences between two Avro schemas that change the encoding of values, each with its place. Returns
 * an empty list when values of one are values of the other. Ignores names of records, documentation, defaults and other
 * properties.
 */
export function encodingDifferences(before: string, after: string): readonly string[] {
  const differences = new Differences()
  differences.compare(parseAvroSchema(before), parseAvroSchema(after), '')
  return [...differences.found]
}

class Differences {
  /** A set, because an event contains the row twice, before and after the change, under the same record. */
  readonly found = new Set<string>()
  /** By record of the new schema: the old records that it was compared with, or is being compared with. */
  readonly #seen = new Map<AvroType, Set<AvroType>>()

  compare(before: AvroType, after: AvroType, place: string): void {
    if (before.tag === 'record' && after.tag === 'record') {
      const seen = this.#seen.get(after) ?? new Set()
      if (seen.has(before)) return
      this.#seen.set(after, seen.add(before))
      this.#compareFields(before.fields, after.fields, place)
    } else if (before.tag === 'union' && after.tag === 'union' && before.branches.length === after.branches.length) {
      for (const [i, branch] of before.branches.entries()) this.compare(branch, after.branches[i] ?? branch, place)
    } else if ((before.tag === 'array' || before.tag === 'map') && after.tag === before.tag) {
      this.compare(before.items, after.items, `${place}[]`)
    } else if (shortText(before) !== shortText(after)) {
      this.#add(`${place === '' ? 'the value' : place} was ${shortText(before)}, is ${shortText(after)}`)
    }
  }

  #compareFields(before: readonly AvroField[], after: readonly AvroField[], place: string): void {
    const placeOf = (name: string): string => (place === '' ? name : `${place}.${name}`)
    const old = new Map(before.map((field) => [field.name, field.type]))
    const kept = new Set(after.map((field) => field.name))
    for (const { name, type } of before)
      if (!kept.has(name)) this.#add(`${placeOf(name)} (${shortText(type)}) was removed`)
    for (const { name, type } of after) {
      const oldType = old.get(name)
      if (oldType === undefined) this.#add(`${placeOf(name)} (${shortText(type)}) is new`)
      else this.compare(oldType, type, placeOf(name))
    }
    const isKept = (list: readonly AvroField[]): string =>
      list
        .filter(({ name }) => kept.has(name) && old.has(name))
        .map(({ name }) => name)
        .join()
    if (isKept(before) !== isKept(after)) this.#add(`the order of the fields of ${place === '' ? 'the record' : place}`)
  }

  #add(difference: string): void {
    if (this.found.size < DIFFERENCES_MAX) this.found.add(difference)
  }
}

/** More differences do not help the reader of the message. */
const DIFFERENCES_MAX = 8

function shortText(type: AvroType): string {
  switch (type.tag) {
    case 'plain':
      return type.type
    // The precision does not affect the bytes; the scale changes their meaning.
    case 'decimal':
      return `decimal of scale ${type.scale}`
    case 'record':
      return `record ${type.name}`
    case 'enum':
      return `enum of ${type.symbols.join(', ')}`
    case 'fixed':
      return `fixed(${type.size})`
    case 'array':
    case 'map':
      return `${type.tag} of ${shortText(type.items)}`
    case 'union':
      return type.branches.map((branch) => shortText(branch)).join(' or ')
  }
}
