import type { ConfigMap } from '@tributary/connect-api'
import type { NewTopic } from '@tributary/kafka'
import { JavaPatterns } from '@tributary/support'
import { withPrefix } from './worker-config.ts'
import {
  DEFAULT_GROUP,
  GROUP_PROPERTIES,
  groupNames,
  topicCreationDefinition,
  TOPIC_CREATION_PREFIX,
  usesTopicCreation,
} from './topic-creation-keys.ts'

/** The settings of new topics whose names match a group (Connect's TopicCreationGroup). */
interface TopicCreationGroup {
  readonly name: string
  readonly included: JavaPatterns
  readonly excluded: JavaPatterns
  readonly partitions: number
  readonly replicationFactor: number
  readonly configs: ConfigMap
}

/** A topic to create, and the group that its settings are from. */
export interface PlannedTopic {
  readonly topic: NewTopic
  readonly group: string
}

/**
 * The settings with which a connector creates topics (KIP-158).
 *
 *     const creation = TopicCreation.of({ 'topic.creation.default.partitions': '6', … })
 *     creation?.plan('shop.orders') // { topic: { name: 'shop.orders', partitions: 6, … }, group: 'default' }
 */
export class TopicCreation {
  /** In the order of `topic.creation.groups`. */
  readonly #groups: readonly TopicCreationGroup[]
  readonly #default: TopicCreationGroup

  private constructor(groups: readonly TopicCreationGroup[], byDefault: TopicCreationGroup) {
    this.#groups = groups
    this.#default = byDefault
  }

  /**
   * Null: the configuration has no property of topic creation, so the brokers' defaults apply.
   *
   * @throws ConfigError for invalid properties
   */
  static of(config: ConfigMap): TopicCreation | null {
    if (!usesTopicCreation(config)) return null
    const values = topicCreationDefinition(config).parse(config)
    const group = (name: string): TopicCreationGroup => {
      const prefix = `${TOPIC_CREATION_PREFIX}${name}.`
      const patterns = (property: string): JavaPatterns =>
        new JavaPatterns(name === DEFAULT_GROUP ? [] : values.list(prefix + property))
      const others = Object.entries(withPrefix(config, prefix)).filter(([key]) => !GROUP_PROPERTIES.includes(key))
      return {
        name,
        included: patterns('include'),
        excluded: patterns('exclude'),
        partitions: values.integer(`${prefix}partitions`),
        replicationFactor: values.integer(`${prefix}replication.factor`),
        configs: Object.fromEntries(others),
      }
    }
    return new TopicCreation(groupNames(config).map(group), group(DEFAULT_GROUP))
  }

  /** The first group whose `include` matches the whole name, and whose `exclude` does not; else the default group. */
  plan(name: string): PlannedTopic {
    const matching = this.#groups.find(({ included, excluded }) => !excluded.matches(name) && included.matches(name))
    const { partitions, replicationFactor, configs, name: group } = matching ?? this.#default
    return { topic: { name, partitions, replicationFactor, configs }, group }
  }
}

/** A topic as Java prints its description. */
export function newTopicText({ name, partitions, replicationFactor, configs = {} }: NewTopic): string {
  const settings = Object.entries(configs).map(([key, value]) => `${key}=${value}`)
  return `(name=${name}, numPartitions=${partitions}, replicationFactor=${replicationFactor}, replicasAssignments=null, configs={${settings.join(', ')}})`
}
