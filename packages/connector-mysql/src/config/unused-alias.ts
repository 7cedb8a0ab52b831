/**
 * Why a property of a transformation or predicate has no effect: the list does not name it. Null: it has one, or is no
 * such property.
 */
export function unusedAlias(property: string, config: Readonly<Record<string, string>>): string | null {
  const [, list, alias] = /^(transforms|predicates)\.([^.]+)\./.exec(property) ?? []
  if (list === undefined || alias === undefined) return null
  const listed = (config[list] ?? '').split(',').map((each) => each.trim())
  // An alias may contain dots.
  if (listed.some((each) => property.startsWith(`${list}.${each}.`) && each !== '')) return null
  return `has no effect, because ${list} does not list ${alias}`
}
