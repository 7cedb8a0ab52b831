import type { Schema } from '@tributary/connect-api'
import {
  ConfigDef,
  type ConfigMap,
  type Header,
  type SourceRecord,
  Struct,
  type Transformation,
  type TransformationPlugin,
  type Validator,
} from '@tributary/connect-api'
import { transformErrors } from '../errors.ts'
import { withHeaders, withValue } from '../stage/changed-record.ts'
import { enumValidator } from '../stage/enum-option.ts'
import { javaClassName } from '../stage/java-class.ts'
import { SchemaMemo } from '../stage/schema-memo.ts'
import { TRANSFORMS_VERSION } from '../version.ts'
import { type Addition, type AdditionPlan, planAdditions } from './added-fields.ts'
import { isRequired, valueValidator } from './value-validator.ts'

const haveNoSpace: Validator = (value) =>
  ((value ?? []) as readonly string[]).some((name) => name.includes(' '))
    ? 'Element(s) containing space not permitted'
    : null
const areNotEmpty: Validator = (value) =>
  ((value ?? []) as readonly string[]).includes('') ? 'Empty string element(s) not permitted' : null

const config = new ConfigDef([
  {
    name: 'headers',
    type: 'LIST',
    defaultValue: null,
    documentation: 'Names of the headers whose values are added to the value of the record.',
    importance: 'HIGH',
    displayName: 'Header names list',
    validators: [isRequired, haveNoSpace, areNotEmpty].map((validator) => valueValidator('headers', validator)),
  },
  {
    name: 'fields',
    type: 'LIST',
    defaultValue: null,
    documentation:
      'Names of the fields, in the order of `headers`. `after.region` is the field `region` of the struct `after`.',
    importance: 'HIGH',
    displayName: 'Field names list',
    validators: [isRequired, haveNoSpace, areNotEmpty].map((validator) => valueValidator('fields', validator)),
  },
  {
    name: 'operation',
    type: 'STRING',
    defaultValue: null,
    documentation: '`move`: the headers are removed. `copy`: they stay.',
    importance: 'HIGH',
    displayName: 'Operation: mover or copy',
    validators: [isRequired, enumValidator(['move', 'copy'])].map((validator) =>
      valueValidator('operation', validator),
    ),
  },
])

/** Debezium's HeaderToValue: adds the values of headers to the value of a record. */
class HeaderToValue implements Transformation {
  #headers: readonly string[] = []
  #paths: readonly (readonly string[])[] = []
  #moves = false
  readonly #plans = new SchemaMemo(() => new Map<string, AdditionPlan>())
  readonly #schemaNumbers = new WeakMap<Schema, number>()
  #schemaCount = 0

  configure(options: ConfigMap): void {
    const values = config.parse(options)
    const fields = values.list('fields')
    this.#headers = values.list('headers')
    this.#moves = values.string('operation').toLowerCase() === 'move'
    if (this.#headers.length !== fields.length) {
      throw transformErrors.HEADERS_AND_FIELDS({ headers: this.#headers.length, fields: fields.length })
    }
    const outer = fields.find((field) => fields.some((other) => other.startsWith(`${field}.`)))
    if (outer !== undefined) {
      const reason = `'${outer}' cannot be a value and a struct`
      throw transformErrors.TRANSFORMATION_OPTION({ name: 'fields', value: fields.join(','), reason })
    }
    this.#paths = fields.map((field) => field.split('.'))
  }

  apply(record: SourceRecord): SourceRecord {
    const { value, valueSchema, headers } = record
    if (value === null) return record
    if (!(value instanceof Struct)) {
      const found = javaClassName(valueSchema, value)
      throw transformErrors.NOT_A_STRUCT({ purpose: 'Header field insertion', found })
    }
    const found = headers.filter(({ key }) => this.#headers.includes(key))
    if (found.length === 0) return record
    const changed = this.#planOf(value.schema, found).make(
      value,
      found.map((header) => header.value),
    )
    const added = withValue(record, changed.schema, changed)
    return this.#moves
      ? withHeaders(
          added,
          headers.filter(({ key }) => !this.#headers.includes(key)),
        )
      : added
  }

  #planOf(schema: Schema, headers: readonly Header[]): AdditionPlan {
    const additions = headers.map(({ key, schema: own }): Addition => {
      const path = this.#paths[this.#headers.indexOf(key)] ?? []
      if (own === null) throw transformErrors.HEADER_WITHOUT_SCHEMA({ name: path.join('.') })
      return { path, schema: own }
    })
    const plans = this.#plans.of(schema)
    const key = additions.map(({ path, schema: own }) => `${path.join('.')}#${this.#numberOf(own)}`).join()
    let plan = plans.get(key)
    if (plan === undefined) {
      plan = planAdditions(schema, additions)
      if (plans.size >= PLANS_MAX) plans.clear()
      plans.set(key, plan)
    }
    return plan
  }

  #numberOf(schema: Schema): number {
    let number = this.#schemaNumbers.get(schema)
    if (number === undefined) {
      number = this.#schemaCount++
      this.#schemaNumbers.set(schema, number)
    }
    return number
  }
}

/** Combinations of headers; their schemas are constants of the stages that add them. */
const PLANS_MAX = 64

export const headerToValuePlugin: TransformationPlugin = {
  type: 'transformation',
  className: 'io.debezium.transforms.HeaderToValue',
  version: TRANSFORMS_VERSION,
  config,
  create: () => new HeaderToValue(),
}
