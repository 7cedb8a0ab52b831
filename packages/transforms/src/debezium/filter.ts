import type { ConfigMap, SourceRecord, Transformation, TransformationPlugin } from '@tributary/connect-api'
import { assert } from '@tributary/support'
import { TRANSFORMS_VERSION } from '../version.ts'
import { RecordExpression } from './record-expression.ts'
import { scriptingConfig } from './scripting-config.ts'

const config = scriptingConfig({
  name: 'condition',
  displayName: 'Filtering condition',
  documentation: "Expression that is true for the records to keep, such as `value.op == 'u' && value.before.id == 2`.",
})

/** Keeps the records for which an expression is true. */
class Filter implements Transformation {
  #condition: RecordExpression | null = null

  configure(options: ConfigMap): void {
    this.#condition = new RecordExpression(config, 'condition', options)
  }

  apply(record: SourceRecord): SourceRecord | null {
    const condition = this.#condition
    assert(condition !== null, 'it is configured')
    switch (condition.decide(record)) {
      case 'keep':
        return record
      case 'drop':
        return null
      case 'evaluate': {
        const result = condition.evaluate(record)
        if (typeof result !== 'boolean') throw condition.wrongResult(result, 'Boolean')
        return result ? record : null
      }
    }
  }
}

export const filterPlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.Filter',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new Filter(),
}
