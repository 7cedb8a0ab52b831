import type { ConfigDef, Transformation, TransformationPlugin } from '@tributary/connect-api'
import { TRANSFORMS_VERSION } from '../version.ts'
import { KEY_SIDE, type RecordSide, VALUE_SIDE } from './record-side.ts'

/** `Class$Key` and `Class$Value` of Kafka: one transformation for either half of a record. */
export function sidedPlugins(
  simpleName: string,
  config: ConfigDef,
  create: (side: RecordSide) => Transformation,
): readonly TransformationPlugin[] {
  return [KEY_SIDE, VALUE_SIDE].map((side): TransformationPlugin => ({
    type: 'transformation',
    className: `org.apache.kafka.connect.transforms.${simpleName}$${side.name === 'key' ? 'Key' : 'Value'}`,
    version: TRANSFORMS_VERSION,
    config,
    create: () => create(side),
  }))
}
