import { Schema } from './data.ts'

/** The plain schemas, one object each. */
export const Schemas: {
  readonly int32: Schema
  readonly int64: Schema
  readonly string: Schema
  readonly boolean: Schema
  readonly optionalInt32: Schema
  readonly optionalInt64: Schema
  readonly optionalString: Schema
  readonly optionalBoolean: Schema
} = {
  int32: Schema.of('int32'),
  int64: Schema.of('int64'),
  string: Schema.of('string'),
  boolean: Schema.of('boolean'),
  optionalInt32: Schema.of('int32', { optional: true }),
  optionalInt64: Schema.of('int64', { optional: true }),
  optionalString: Schema.of('string', { optional: true }),
  optionalBoolean: Schema.of('boolean', { optional: true }),
}
