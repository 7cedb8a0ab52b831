import type {
  ConfigKey,
  ParsedValue,
  ParsedValues,
  PredicatePlugin,
  TransformationPlugin,
} from '@tributary/connect-api'
import type { Plugins } from './plugins.ts'
import { LIST_OF, type StageKind, type StageSpec, stageSpecs } from './stage-spec.ts'

/**
 * The properties of the stages that a configuration names, in the order of Connect 4.3: for each alias those of Connect,
 * then those of its class.
 */
export function stageKeys(plugins: Plugins, config: Readonly<Record<string, string | null>>): readonly ConfigKey[] {
  const predicates = stageSpecs('predicate', config)
  const aliases = new Set(predicates.map(({ alias }) => alias))
  return [
    ...stageSpecs('transformation', config).flatMap((spec) => [
      ...commonKeys(plugins, spec),
      ...applicationKeys(spec, aliases, config),
      ...optionKeys(plugins.stage(spec.kind, spec.className ?? ''), spec),
    ]),
    ...predicates.flatMap((spec) => [
      ...commonKeys(plugins, spec),
      ...optionKeys(plugins.stage(spec.kind, spec.className ?? ''), spec),
    ]),
  ]
}

const TITLES: Readonly<
  Record<StageKind, { readonly name: string; readonly group: string; readonly javaName: string }>
> = {
  transformation: { name: 'Transformation', group: 'Transforms', javaName: 'Transformation' },
  predicate: { name: 'Predicate', group: 'Predicates', javaName: 'Predicate' },
}

function groupOf({ kind, alias }: StageSpec): string {
  return `${TITLES[kind].group}: ${alias}`
}

/** Whether a group contains the properties of an alias. */
export function isStageGroup(group: string): boolean {
  return Object.values(TITLES).some((title) => group.startsWith(`${title.group}: `))
}

function commonKeys(plugins: Plugins, spec: StageSpec): readonly ConfigKey[] {
  const { kind, alias, prefix, className } = spec
  const { name } = TITLES[kind]
  const version = plugins.stage(kind, className ?? '')?.version ?? null
  return [
    {
      name: `${prefix}type`,
      type: 'CLASS',
      documentation: '',
      importance: 'HIGH',
      group: groupOf(spec),
      width: 'LONG',
      displayName: `${name} type for ${alias}`,
      recommendedValues: plugins.classNames(kind),
      validators: [(value) => (typeof value === 'string' ? plugins.checkStage(kind, value) : null)],
    },
    {
      name: `${prefix}plugin.version`,
      type: 'STRING',
      defaultValue: version,
      documentation: '',
      importance: 'HIGH',
      group: groupOf(spec),
      width: 'LONG',
      displayName: `${name} version for ${alias}`,
      recommendedValues: version === null ? [] : [version],
    },
  ]
}

/** Which records a transformation applies to. */
function applicationKeys(
  spec: StageSpec,
  predicates: ReadonlySet<string>,
  config: Readonly<Record<string, string | null>>,
): readonly ConfigKey[] {
  const { prefix } = spec
  const hasPredicate = typeof config[`${prefix}predicate`] === 'string'
  const isNegateGiven = typeof config[`${prefix}negate`] === 'string'
  const unpaired = `Config '${prefix}negate' was provided but there is no config '${prefix}predicate' defining a predicate to be negated.`
  return [
    {
      name: `${prefix}negate`,
      type: 'BOOLEAN',
      defaultValue: 'false',
      documentation: '',
      importance: 'MEDIUM',
      group: groupOf(spec),
      displayName: 'negate',
      validators: [() => (isNegateGiven && !hasPredicate ? unpaired : null)],
    },
    {
      name: `${prefix}predicate`,
      type: 'STRING',
      defaultValue: null,
      documentation: '',
      importance: 'MEDIUM',
      group: groupOf(spec),
      displayName: 'predicate',
      validators: [
        (value) =>
          typeof value !== 'string' || predicates.has(value)
            ? null
            : `The list ${LIST_OF.predicate} has no such alias; it has: ${[...predicates].join(', ') || '(none)'}`,
      ],
    },
  ]
}

function optionKeys(plugin: TransformationPlugin | PredicatePlugin | null, spec: StageSpec): readonly ConfigKey[] {
  if (plugin === null) return []
  const { prefix } = spec
  return plugin.config.keys.map((key): ConfigKey => ({
    ...key,
    name: prefix + key.name,
    group: groupOf(spec),
    displayName: key.displayName ?? key.name,
    ...(key.aliases === undefined ? {} : { aliases: key.aliases.map((alias) => prefix + alias) }),
    ...(key.dependents === undefined ? {} : { dependents: key.dependents.map((name) => prefix + name) }),
    validators: (key.validators ?? []).map(
      (validator) => (value: ParsedValue, all: ParsedValues) => validator(value, withoutPrefix(all, prefix)),
    ),
  }))
}

/** A class checks its options under their own names. */
function withoutPrefix(all: ParsedValues, prefix: string): ParsedValues {
  return new Map(
    [...all].flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [])),
  )
}
