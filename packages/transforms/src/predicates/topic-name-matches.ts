import {
  ConfigDef,
  type ConfigMap,
  type Predicate,
  type PredicatePlugin,
  type SourceRecord,
} from '@tributary/connect-api'
import { JavaPattern } from '@tributary/support'
import { nonEmptyString } from '../stage/option-validators.ts'
import { compilePattern, isJavaPattern } from '../stage/pattern-options.ts'
import { TRANSFORMS_VERSION } from '../version.ts'

const config = new ConfigDef([
  {
    name: 'pattern',
    type: 'STRING',
    documentation: 'Regular expression that must match the whole topic name.',
    importance: 'MEDIUM',
    validators: [
      nonEmptyString,
      (value) => {
        const reason = isJavaPattern(value)
        return reason === null ? null : `Invalid regex: ${reason}`
      },
    ],
  },
])

/** Accepts records whose topic matches a regular expression. The last topic costs a comparison. */
class TopicNameMatches implements Predicate {
  #pattern: JavaPattern = new JavaPattern('')
  #lastTopic: string | null = null
  #matches = false

  configure(options: ConfigMap): void {
    this.#pattern = compilePattern('pattern', config.parse(options).string('pattern'))
    this.#lastTopic = null
  }

  test({ topic }: SourceRecord): boolean {
    if (topic !== this.#lastTopic) {
      this.#matches = this.#pattern.matches(topic)
      this.#lastTopic = topic
    }
    return this.#matches
  }
}

export const topicNameMatchesPlugin: PredicatePlugin = {
  type: 'predicate',
  className: 'org.apache.kafka.connect.transforms.predicates.TopicNameMatches',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new TopicNameMatches(),
}
