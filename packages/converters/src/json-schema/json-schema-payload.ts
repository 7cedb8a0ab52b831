import type { JsonOptions } from '../json/json-options.ts'
import type { JsonSchemaOptions } from './json-schema-options.ts'

/** The options of the JSON converter that write the same payload. */
export function payloadOptions({ ignoreDefaultForNullables, decimalFormat }: JsonSchemaOptions): JsonOptions {
  return {
    schemasEnabled: false,
    replaceNullWithDefault: !ignoreDefaultForNullables,
    decimalFormat,
    hasEntryObjects: true,
  }
}
