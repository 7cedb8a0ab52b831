import type { ConfigMap, SourceRecord, Transformation, TransformationPlugin } from '@tributary/connect-api'
import { assert } from '@tributary/support'
import { charactersOf } from '../expression/kind.ts'
import { withTopic } from '../stage/changed-record.ts'
import { TRANSFORMS_VERSION } from '../version.ts'
import { RecordExpression } from './record-expression.ts'
import { scriptingConfig } from './scripting-config.ts'

const config = scriptingConfig({
  name: 'topic.expression',
  displayName: 'Topic name expression',
  documentation:
    "Expression whose value is the new topic name, such as `value.op == 'd' ? 'deleted' : null`; null keeps it.",
})

/** Changes the topic of records to the value of an expression. */
class ContentBasedRouter implements Transformation {
  #topic: RecordExpression | null = null

  configure(options: ConfigMap): void {
    this.#topic = new RecordExpression(config, 'topic.expression', options)
  }

  apply(record: SourceRecord): SourceRecord | null {
    const topic = this.#topic
    assert(topic !== null, 'it is configured')
    switch (topic.decide(record)) {
      case 'keep':
        return record
      case 'drop':
        return null
      case 'evaluate': {
        const result = topic.evaluate(record)
        if (result === null || result === undefined) return record
        const name = charactersOf(result)
        if (name === null) throw topic.wrongResult(result, 'String')
        return withTopic(record, name)
      }
    }
  }
}

export const contentBasedRouterPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.ContentBasedRouter',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new ContentBasedRouter(),
}
