import {
  ConfigDef,
  type ConfigMap,
  type SourceRecord,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { SimpleDateFormat } from '../java-date/simple-date-format.ts'
import { withTopic } from '../stage/changed-record.ts'
import { TRANSFORMS_VERSION } from '../version.ts'

const config = new ConfigDef([
  {
    name: 'topic.format',
    type: 'STRING',
    defaultValue: '${topic}-${timestamp}',
    documentation: 'The new topic name, in which `${topic}` and `${timestamp}` are replaced.',
    importance: 'HIGH',
  },
  {
    name: 'timestamp.format',
    type: 'STRING',
    defaultValue: 'yyyyMMdd',
    documentation: "Pattern of `${timestamp}`, in the letters of Java's SimpleDateFormat; UTC.",
    importance: 'HIGH',
  },
])

/** Changes the topic by the time of the record. */
class TimestampRouter implements Transformation {
  #topicFormat = ''
  #format: SimpleDateFormat = new SimpleDateFormat('')
  #lastTopic = ''
  #lastTimestamp: number | null = null
  #lastRouted = ''

  configure(options: ConfigMap): void {
    const values = config.parse(options)
    this.#topicFormat = values.string('topic.format')
    const pattern = values.string('timestamp.format')
    try {
      this.#format = new SimpleDateFormat(pattern)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      const reason = error.message
      throw transformErrors.TRANSFORMATION_OPTION({ name: 'timestamp.format', value: pattern, reason }, error)
    }
  }

  apply(record: SourceRecord): SourceRecord {
    const { topic, timestamp } = record
    if (timestamp === null) throw transformErrors.TIMESTAMP_MISSING({ topic })
    if (timestamp !== this.#lastTimestamp || topic !== this.#lastTopic) {
      this.#lastRouted = this.#topicFormat
        .replaceAll('${topic}', () => topic)
        .replaceAll('${timestamp}', () => this.#format.format(timestamp))
      this.#lastTopic = topic
      this.#lastTimestamp = timestamp
    }
    return withTopic(record, this.#lastRouted)
  }
}

export const timestampRouterPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'org.apache.kafka.connect.transforms.TimestampRouter',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new TimestampRouter(),
}
