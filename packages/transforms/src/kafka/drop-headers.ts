import {
  ConfigDef,
  type ConfigMap,
  type SourceRecord,
  type Transformation,
  type TransformationPlugin,
} from '@tributary/connect-api'
import { withHeaders } from '../stage/changed-record.ts'
import { distinctEntries } from '../stage/option-validators.ts'
import { TRANSFORMS_VERSION } from '../version.ts'

const config = new ConfigDef([
  {
    name: 'headers',
    type: 'LIST',
    documentation: 'Names of the headers to remove.',
    importance: 'HIGH',
    validators: [distinctEntries({ mayBeEmpty: false })],
  },
])

/** Removes headers by name. */
class DropHeaders implements Transformation {
  #names: ReadonlySet<string> = new Set()

  configure(options: ConfigMap): void {
    this.#names = new Set(config.parse(options).list('headers'))
  }

  apply(record: SourceRecord): SourceRecord {
    const kept = record.headers.filter(({ key }) => !this.#names.has(key))
    return kept.length === record.headers.length ? record : withHeaders(record, kept)
  }
}

export const dropHeadersPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'org.apache.kafka.connect.transforms.DropHeaders',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new DropHeaders(),
}
