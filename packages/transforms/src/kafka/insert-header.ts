import {
  ConfigDef,
  type ConfigMap,
  type Header,
  type SourceRecord,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { parseLiteral } from '../literal/parse-literal.ts'
import { withHeaders } from '../stage/changed-record.ts'
import { nonNullEntry } from '../stage/option-validators.ts'
import { TRANSFORMS_VERSION } from '../version.ts'

const config = new ConfigDef([
  {
    name: 'header',
    type: 'STRING',
    documentation: 'Name of the header.',
    importance: 'HIGH',
    validators: [nonNullEntry],
  },
  {
    name: 'value.literal',
    type: 'STRING',
    documentation:
      'Value of the header. Numbers, `true`, `false`, `null`, dates, lists `[1,2]` and maps `{"a":1}` are recognised; anything else is a text.',
    importance: 'HIGH',
    validators: [nonNullEntry],
  },
])

/** Adds a header with a constant. */
class InsertHeader implements Transformation {
  #header: Header = { key: '', schema: null, value: null }

  configure(options: ConfigMap): void {
    const values = config.parse(options)
    this.#header = { key: values.string('header'), ...parseLiteral(values.string('value.literal')) }
  }

  apply(record: SourceRecord): SourceRecord {
    return withHeaders(record, [...record.headers, this.#header])
  }
}

export const insertHeaderPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'org.apache.kafka.connect.transforms.InsertHeader',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new InsertHeader(),
}
