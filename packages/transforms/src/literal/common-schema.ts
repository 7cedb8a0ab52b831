import { type Schema, isJavaDate } from '@tributary/connect-api'
import { type ConnectValue, DECIMAL_SCHEMA_NAME, type SchemaType } from '@tributary/connect-api'
import { LiteralError } from './literal-error.ts'
import type { Literal } from './scalar-literal.ts'

/** Numbers, each type holding those before it. */
const WIDENING: readonly SchemaType[] = ['int8', 'int16', 'int32', 'int64', 'float', 'double']

/** The schema of all elements; null: there is none, or all are null. */
export function commonSchema(elements: readonly (Literal | null)[]): Schema | null {
  let common: Schema | null = null
  for (const element of elements) {
    const schema = element?.schema ?? null
    if (schema === null) continue
    if (common === null) common = schema
    else if (common.type === schema.type) common = schema
    else {
      const [a, b] = [WIDENING.indexOf(common.type), WIDENING.indexOf(schema.type)]
      if (a < 0 || b < 0) return null
      if (b > a) common = schema
    }
  }
  return common
}

/** The value of an element in the common schema. @throws LiteralError */
export function aligned(element: Literal | null, schema: Schema): ConnectValue {
  if (element === null || element.value === null) throw new LiteralError('null in a list of values')
  const isMixed = element.schema !== null && isTemporalOrDecimal(schema) !== isTemporalOrDecimal(element.schema)
  if (isMixed || element.schema?.name !== schema.name) throw new LiteralError('elements of different kinds')
  return schema.type === 'float' && typeof element.value === 'number' ? Math.fround(element.value) : element.value
}

function isTemporalOrDecimal(schema: Schema): boolean {
  return isJavaDate(schema) || schema.name === DECIMAL_SCHEMA_NAME
}
