import { ConfigDef, type ConfigMap } from '@tributary/connect-api'
import { withPrefix } from '../config/worker-config.ts'

/** The two kinds of classes that `transforms` and `predicates` name. */
export type StageKind = 'transformation' | 'predicate'

/** A transformation or predicate as a connector's configuration sets it. */
export interface StageSpec {
  readonly kind: StageKind
  readonly alias: string
  /** `transforms.ALIAS.` or `predicates.ALIAS.` */
  readonly prefix: string
  /** Null: the property `type` is missing. */
  readonly className: string | null
  /** The options of the class, without the prefix and without the properties of Connect. */
  readonly options: ConfigMap
}

export const LIST_OF: Readonly<Record<StageKind, string>> = {
  transformation: 'transforms',
  predicate: 'predicates',
}

/** Properties of an alias that Connect reads itself. */
export const CONNECTS: ReadonlySet<string> = new Set(['type', 'plugin.version', 'predicate', 'negate'])

const definition = new ConfigDef([
  { name: 'transforms', type: 'LIST', defaultValue: '', documentation: '' },
  { name: 'predicates', type: 'LIST', defaultValue: '', documentation: '' },
])

/** The stages of one kind in their order, each alias once. */
export function stageSpecs(kind: StageKind, config: Readonly<Record<string, string | null>>): readonly StageSpec[] {
  const given = Object.fromEntries(
    Object.entries(config).filter((entry): entry is [string, string] => entry[1] !== null),
  )
  const aliases = definition.parse(given).list(LIST_OF[kind])
  return [...new Set(aliases)].map((alias) => {
    const prefix = `${LIST_OF[kind]}.${alias}.`
    const own = withPrefix(given, prefix)
    const isPredicate = kind === 'predicate'
    const options = Object.entries(own).filter(([name]) => !CONNECTS.has(name) || (isPredicate && name === 'negate'))
    return { kind, alias, prefix, className: own['type'] ?? null, options: Object.fromEntries(options) }
  })
}
