import type { Validator } from '@tributary/connect-api'

/** Kafka's ValidList without a set of values: each entry once and not empty. Duplicates are ignored. */
export function distinctEntries({ mayBeEmpty }: { readonly mayBeEmpty: boolean }): Validator {
  return (value) => {
    if (!Array.isArray(value)) return (name) => `Configuration '${name}' values must not be null.`
    if (value.length === 0 && !mayBeEmpty) {
      return (name) => `Configuration '${name}' must not be empty. Valid values include: any non-empty value`
    }
    return value.includes('') ? (name) => `Configuration '${name}' values must not be empty.` : null
  }
}

/** Kafka's NonEmptyListValidator. */
export const nonEmptyList: Validator = (value) =>
  Array.isArray(value) && value.length > 0
    ? null
    : (name) => `Invalid value ${value === null ? 'null' : '[]'} for configuration ${name}: Empty list`

/** Kafka's NonEmptyString; null is accepted. */
export const nonEmptyString: Validator = (value) => (value === '' ? 'String must be non-empty' : null)

/** Kafka's NonNullValidator. */
export const nonNullEntry: Validator = (value) => (value === null ? 'entry must be non null' : null)

/** Java's String.split: empty parts at the end are omitted. */
export function javaSplit(text: string, separator: string): readonly string[] {
  if (text === '') return ['']
  const parts = text.split(separator)
  while (parts.at(-1) === '') parts.pop()
  return parts
}

/** A list as Java prints it. */
export function javaListText(entries: readonly string[]): string {
  return `[${entries.join(', ')}]`
}
