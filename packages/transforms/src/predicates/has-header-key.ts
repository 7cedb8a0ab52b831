import {
  ConfigDef,
  type ConfigMap,
  type Predicate,
  type PredicatePlugin,
  type SourceRecord,
} from '@tributary/connect-api'
import { nonEmptyString } from '../stage/option-validators.ts'
import { TRANSFORMS_VERSION } from '../version.ts'

const config = new ConfigDef([
  {
    name: 'name',
    type: 'STRING',
    documentation: 'Name of the header.',
    importance: 'MEDIUM',
    validators: [nonEmptyString],
  },
])

/** Accepts records that have a header of that name. */
class HasHeaderKey implements Predicate {
  #name = ''

  configure(options: ConfigMap): void {
    this.#name = config.parse(options).string('name')
  }

  test({ headers }: SourceRecord): boolean {
    return headers.some(({ key }) => key === this.#name)
  }
}

export const hasHeaderKeyPlugin: PredicatePlugin = {
  type: 'predicate',
  className: 'org.apache.kafka.connect.transforms.predicates.HasHeaderKey',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new HasHeaderKey(),
}
