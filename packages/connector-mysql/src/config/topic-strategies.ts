import type { ConfigMap, ConfigValues } from '@tributary/connect-api'
import {
  TopicNaming,
  type TopicNamingOptions,
  type TopicRoute,
  underscored,
  unicodeEscaped,
} from '@tributary/connector-kit'
import { JavaPattern } from '@tributary/support'

interface Strategy extends Required<Pick<TopicNamingOptions, 'parts' | 'escape'>> {
  /** `topic.regex` changes the names. */
  readonly isRouted: boolean
}

const PACKAGE = 'io.debezium.schema.'

/** All that Debezium 3.6 has. A table of MySQL has no schema: the strategies with `Schema` leave out the database. */
const STRATEGIES: Readonly<Record<string, Strategy>> = {
  DefaultTopicNamingStrategy: { parts: 'database-and-table', escape: underscored, isRouted: false },
  SchemaTopicNamingStrategy: { parts: 'table', escape: underscored, isRouted: false },
  DefaultUnicodeTopicNamingStrategy: { parts: 'database-and-table', escape: unicodeEscaped, isRouted: false },
  SchemaUnicodeTopicNamingStrategy: { parts: 'table', escape: unicodeEscaped, isRouted: false },
  DefaultRegexTopicNamingStrategy: { parts: 'database-and-table', escape: underscored, isRouted: true },
  SchemaRegexTopicNamingStrategy: { parts: 'table', escape: underscored, isRouted: true },
}

export const DEFAULT_STRATEGY: string = `${PACKAGE}DefaultTopicNamingStrategy`

/** Values of `topic.naming.strategy`. */
export const strategyNames: readonly string[] = Object.keys(STRATEGIES).map((name) => `${PACKAGE}${name}`)

/** Whether the strategy reads `topic.regex` and the properties after it. */
export function usesRegex(name: string): boolean {
  return strategyOf(name)?.isRouted ?? false
}

function strategyOf(name: string): Strategy | null {
  return name.startsWith(PACKAGE) ? (STRATEGIES[name.slice(PACKAGE.length)] ?? null) : null
}

/** The names of topics as the validated configuration determines them. */
export function topicNaming(values: ConfigValues): TopicNaming {
  const name = values.string('topic.naming.strategy')
  const strategy = strategyOf(name)
  if (strategy === null) throw new RangeError(`'${name}' is not a naming strategy of this version`)
  return new TopicNaming({
    prefix: values.string('topic.prefix'),
    delimiter: values.string('topic.delimiter'),
    parts: strategy.parts,
    escape: strategy.escape,
    route: strategy.isRouted ? routeOf(values) : null,
  })
}

function routeOf(values: ConfigValues): TopicRoute {
  const pattern = new JavaPattern(values.string('topic.regex'))
  const keyRegex = values.optionalString('topic.key.field.regex') ?? ''
  const keyPattern = keyRegex.trim() === '' ? null : new JavaPattern(keyRegex)
  const keyReplacement = values.optionalString('topic.key.field.replacement') ?? ''
  const value =
    keyPattern === null ? null : { pattern: keyPattern, replacement: keyPattern.replacement(keyReplacement) }
  const keyField = { name: values.string('topic.key.field.name'), value }
  return {
    pattern,
    replacement: pattern.replacement(values.string('topic.replacement')),
    keyField: values.boolean('topic.key.enforce.uniqueness') ? keyField : null,
  }
}

const OF_ROUTES = /^topic\.(regex|replacement|key\.(enforce\.uniqueness|field\.(name|regex|replacement)))$/

/** Properties of a route that are set although the strategy has none. */
export function unusedRouteProperties(config: ConfigMap): readonly string[] {
  if (usesRegex(config['topic.naming.strategy']?.trim() ?? '')) return []
  return Object.keys(config).filter((name) => OF_ROUTES.test(name) && config[name]?.trim() !== '')
}
