import { ExactNumber, isObject, type JsonValue } from './json-value.ts'

export interface FieldDifference {
  readonly path: string
  readonly theirs: JsonValue | undefined
  readonly ours: JsonValue | undefined
}

/**
 * The places where two documents differ. Elements of lists that have the member `field` or `name` are compared by it, so
 * that a field more does not make all that follow it differ.
 */
export function documentDifferences(
  theirs: JsonValue | undefined,
  ours: JsonValue | undefined,
  path: string,
): readonly FieldDifference[] {
  if (isSameScalar(theirs, ours)) return []
  if (isObject(theirs) && isObject(ours)) return objectDifferences(theirs, ours, path)
  if (Array.isArray(theirs) && Array.isArray(ours)) return listDifferences(theirs, ours, path)
  return [{ path, theirs, ours }]
}

function isSameScalar(theirs: JsonValue | undefined, ours: JsonValue | undefined): boolean {
  if (theirs instanceof ExactNumber && ours instanceof ExactNumber) return theirs.text === ours.text
  return theirs === ours
}

function objectDifferences(
  theirs: Readonly<Record<string, JsonValue>>,
  ours: Readonly<Record<string, JsonValue>>,
  path: string,
): readonly FieldDifference[] {
  const names = new Set([...Object.keys(theirs), ...Object.keys(ours)])
  const found = [...names].flatMap((name) => documentDifferences(own(theirs, name), own(ours, name), `${path}.${name}`))
  const common = (object: object): string =>
    Object.keys(object)
      .filter((name) => Object.hasOwn(theirs, name) && Object.hasOwn(ours, name))
      .join()
  // Consumers of JSON see the order of members.
  if (found.length > 0 || common(theirs) === common(ours)) return found
  return [{ path: `${path} (order)`, theirs: Object.keys(theirs), ours: Object.keys(ours) }]
}

/** A column may be called `constructor`. */
function own(object: Readonly<Record<string, JsonValue>>, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function listDifferences(
  theirs: readonly JsonValue[],
  ours: readonly JsonValue[],
  path: string,
): readonly FieldDifference[] {
  const [named, ourNamed] = [byName(theirs), byName(ours)]
  if (named !== null && ourNamed !== null) return objectDifferences(named, ourNamed, path)
  const length = Math.max(theirs.length, ours.length)
  return Array.from({ length }, (_, i) => documentDifferences(theirs[i], ours[i], `${path}[${i}]`)).flat()
}

/** Null: not every element has a name of its own. */
function byName(list: readonly JsonValue[]): Readonly<Record<string, JsonValue>> | null {
  const entries = list.map((element) => {
    const name = isObject(element) ? (element['field'] ?? element['name']) : null
    return typeof name === 'string' ? ([name, element] as const) : null
  })
  const named = entries.filter((entry) => entry !== null)
  const result = Object.fromEntries(named)
  return named.length === list.length && Object.keys(result).length === list.length && list.length > 0 ? result : null
}
