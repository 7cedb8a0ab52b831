import type { ConnectValue, Schema } from '@tributary/connect-api'
import type { SourceInfo } from './source-info.ts'

/** What the source struct says the same in every event of a connector. */
export interface SourceConstants {
  /** Version of the connector. */
  readonly version: string
  /** `mysql`, `mariadb` */
  readonly connectorType: string
  /** `topic.prefix` */
  readonly name: string
}

/** A field of the source struct, and where its value comes from. */
export interface SourceField {
  readonly name: string
  readonly schema: Schema
  readonly value: (info: SourceInfo, constants: SourceConstants) => ConnectValue
  /** Differs between the rows of one table that one transaction changes. */
  readonly isOfRow?: boolean
}
