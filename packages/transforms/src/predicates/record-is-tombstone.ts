import { ConfigDef, type PredicatePlugin } from '@tributary/connect-api'
import { TRANSFORMS_VERSION } from '../version.ts'

/** Accepts records without a value. */
export const recordIsTombstonePlugin: PredicatePlugin = {
  type: 'predicate',
  className: 'org.apache.kafka.connect.transforms.predicates.RecordIsTombstone',
  version: TRANSFORMS_VERSION,
  config: new ConfigDef([]),
  create: () => ({ configure: () => undefined, test: ({ value }) => value === null }),
}
