import type { ConnectValue, Schema } from '@tributary/connect-api'
import type { SourceInfo } from './source-info.ts'

/** Values of the source struct that are the same in every event of a connector. */
export interface SourceConstants {
  /** Version of the connector. */
  readonly version: string
  /** `mysql`, `mariadb` */
  readonly connectorType: string
  /** `topic.prefix` */
  readonly name: string
}

/** A field of the source struct and its value. */
export interface SourceField {
  readonly name: string
  readonly schema: Schema
  readonly value: (info: SourceInfo, constants: SourceConstants) => ConnectValue
  /** True when the value differs between the rows of one table that one transaction changes. */
  readonly isOfRow?: boolean
}
