import { ConfigDef, type TransformationPlugin } from '@tributary/connect-api'
import { TRANSFORMS_VERSION } from '../version.ts'

/** Drops every record; with a predicate, those that it accepts. */
export const filterPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'org.apache.kafka.connect.transforms.Filter',
  version: TRANSFORMS_VERSION,
  config: new ConfigDef([]),
  create: () => ({ configure: () => undefined, apply: () => null }),
}
