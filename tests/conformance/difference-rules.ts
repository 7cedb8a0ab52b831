import type { Difference } from './compare-recordings.ts'

type Texts = readonly [expected: string | RegExp, actual: string | RegExp]

/** A deliberate difference from the reference. */
export interface DifferenceRule {
  readonly kind: Difference['kind']
  readonly topic: RegExp
  readonly path: RegExp
  /** The label of the only record with the difference; absent: any record. */
  readonly label?: RegExp
  /** The text of the reference and ours. */
  readonly texts: Texts | ((expected: string, actual: string) => boolean)
}

/** Rules with a common reason. */
export interface DeliberateDifference {
  /** Number in the list of fixtures/golden/README.md; absent if the list has no such entry. */
  readonly defect?: number
  readonly reason: string
  /** Names of the recordings in which all of the rules are needed. */
  readonly recordings: RegExp
  /** The other system differs only in some runs, so the rules may match nothing. Default: false. */
  readonly dependsOnTiming?: boolean
  readonly rules: readonly DifferenceRule[]
}

export const ANY: RegExp = /^/
/** The topics with statements and structures. */
export const DDL: RegExp = /^PFX(-history)?$/

/** A value of a column, in rows before and after. */
export function value(table: string, column: string, texts: DifferenceRule['texts']): DifferenceRule {
  return { kind: 'payload', topic: topicOf(table), path: new RegExp(`^(before|after)\\.(${column})$`), texts }
}

/** The schema of a column. */
export function schema(table: string, column: string, ...texts: Texts): DifferenceRule {
  return { kind: 'schema', topic: topicOf(table), path: new RegExp(`^(before|after)\\.(${column})$`), texts }
}

/** Schema and value of the key. */
export function key(table: string, columns: string): readonly DifferenceRule[] {
  const topic = topicOf(table)
  return [
    { kind: 'schema', topic, path: new RegExp(`^key(\\.(${columns}))?$`), texts: [ANY, ANY] },
    { kind: 'payload', topic, path: new RegExp(`^key\\.(${columns})$`), texts: [ANY, ANY] },
  ]
}

/** A part of the structure of a table, in both topics. */
export function structure(path: string, ...texts: Texts): DifferenceRule {
  return { kind: 'payload', topic: DDL, path: new RegExp(`^tableChanges\\[\\d\\]\\.table\\.${path}$`), texts }
}

/** The number of table changes in a statement's record. */
export function changes(...texts: Texts): DifferenceRule {
  return { kind: 'payload', topic: DDL, path: /^tableChanges$/, texts }
}

/** The text of a statement. */
export function statement(...texts: Texts): DifferenceRule {
  return { kind: 'payload', topic: DDL, path: /^ddl$/, texts }
}

/** A record, by its label, that only one of the two writes. */
export function record(kind: 'missing' | 'extra', topic: RegExp, path: RegExp): DifferenceRule {
  return { kind, topic, path, texts: [ANY, ANY] }
}

export function topicOf(table: string): RegExp {
  return new RegExp(`^PFX\\.${table.replaceAll('.', '\\.')}$`)
}

/**
 * Separates the differences that the rules for a recording allow. `unused` lists the rules that matched nothing: they
 * are out of date.
 */
export function explain(
  recording: string,
  differences: readonly Difference[],
  deliberate: readonly DeliberateDifference[],
): { readonly unexplained: readonly Difference[]; readonly unused: readonly string[] } {
  const groups = deliberate.filter(({ recordings }) => recordings.test(recording))
  const rules = groups.flatMap((group) => group.rules.map((rule) => ({ group, rule })))
  const used = new Set<DifferenceRule>()
  const unexplained = differences.filter((difference) => {
    const found = rules.filter(({ rule }) => allows(rule, difference))
    for (const { rule } of found) used.add(rule)
    return found.length === 0
  })
  const unused = rules
    .filter(({ group, rule }) => group.dependsOnTiming !== true && !used.has(rule))
    .map(({ group, rule }) => `${group.reason}: ${rule.kind} ${rule.topic.source} ${rule.path.source}`)
  return { unexplained, unused }
}

function allows({ kind, topic, path, label, texts }: DifferenceRule, difference: Difference): boolean {
  if (kind !== difference.kind || !topic.test(difference.topic) || !path.test(difference.path)) return false
  // `where` is the number of a record and its label.
  if (label !== undefined && !label.test(difference.where.replace(/^#\d+ /, ''))) return false
  const { expected, actual } = difference
  return typeof texts === 'function' ? texts(expected, actual) : fits(texts[0], expected) && fits(texts[1], actual)
}

function fits(wanted: string | RegExp, text: string): boolean {
  return typeof wanted === 'string' ? wanted === text : wanted.test(text)
}
