import type { Schema, SchemaOptions } from '@tributary/connect-api'
import { basicsOf } from './struct-edit.ts'

/** Everything of a schema beside its type and fields. */
export function allPartsOf(schema: Schema): SchemaOptions {
  const { isOptional, defaultValue } = schema
  return { ...basicsOf(schema), optional: isOptional, ...(defaultValue === null ? {} : { defaultValue }) }
}
