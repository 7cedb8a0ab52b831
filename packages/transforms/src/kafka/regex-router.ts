import {
  ConfigDef,
  type ConfigMap,
  type SourceRecord,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { JavaPattern, type JavaReplacement } from '@tributary/support'
import { withTopic } from '../stage/changed-record.ts'
import { compilePattern, compileReplacement, isJavaPattern } from '../stage/pattern-options.ts'
import { TopicMemo } from '../stage/topic-memo.ts'
import { TRANSFORMS_VERSION } from '../version.ts'

const config = new ConfigDef([
  {
    name: 'regex',
    type: 'STRING',
    documentation: 'Regular expression that must match the whole topic name.',
    importance: 'HIGH',
    validators: [isJavaPattern],
  },
  {
    name: 'replacement',
    type: 'STRING',
    documentation: 'The new topic name. `$1` is the first group of the expression.',
    importance: 'HIGH',
  },
])

/** Changes the topic of records whose topic matches a regular expression. */
class RegexRouter implements Transformation {
  #pattern: JavaPattern = new JavaPattern('')
  #replacement: JavaReplacement = this.#pattern.replacement('')
  readonly #topics = new TopicMemo((topic) =>
    this.#pattern.matches(topic) ? this.#replacement.replaceFirst(topic) : topic,
  )

  configure(options: ConfigMap): void {
    const values = config.parse(options)
    this.#pattern = compilePattern('regex', values.string('regex'))
    this.#replacement = compileReplacement('replacement', values.string('replacement'), this.#pattern)
  }

  apply(record: SourceRecord): SourceRecord {
    const topic = this.#topics.of(record.topic)
    return topic === record.topic ? record : withTopic(record, topic)
  }
}

export const regexRouterPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'org.apache.kafka.connect.transforms.RegexRouter',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new RegexRouter(),
}
