import type { Logger } from '@tributary/support'
import type { ConfigMap } from './source.ts'
import type { SourceRecord } from './record.ts'

/** What the runtime passes to transformations and predicates beside their options. */
export interface StageContext {
  readonly logger: Logger
}

/**
 * A stage of a connector's `transforms`: changes, drops or routes one record at a time (Connect's Transformation).
 *
 * One instance serves one task. `configure` is called once, then `apply` for each record in order, then `close`. The
 * values of a record are valid until the next poll: a transformation that keeps a record longer keeps
 * `detach(record)`.
 *
 * An implementation decides once per schema what it does to records of that schema, and per record touches only the
 * fields that it changes: `derive` returns a struct whose other fields stay bytes of the source.
 */
export interface Transformation {
  /**
   * `options`: the properties after the prefix `transforms.ALIAS.`, which the definition of the plug-in accepts.
   *
   * @throws ConfigError or CodedError for options that do not fit together
   */
  configure(options: ConfigMap, context: StageContext): void
  /**
   * Returns the changed record, or the same one; null: the record is dropped.
   *
   * @throws CodedError that names the field; the task reports topic and position of the record
   */
  apply(record: SourceRecord): SourceRecord | null
  close?(): void
}

/** A configured transformation, possibly under a condition. */
export type TransformationStage = Pick<Transformation, 'apply' | 'close'>

/** Decides which records a transformation applies to (Connect's Predicate). Called like a transformation. */
export interface Predicate {
  configure(options: ConfigMap, context: StageContext): void
  test(record: SourceRecord): boolean
  close?(): void
}
