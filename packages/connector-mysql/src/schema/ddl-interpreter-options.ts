import type { DdlOptions } from '@tributary/mysql'

export interface DdlInterpreterOptions {
  readonly flavor: DdlOptions['flavor']
  /** Major × 10000 + minor × 100 + patch. */
  readonly serverVersion: number
  /** The server variable lower_case_table_names. */
  readonly lowerCaseTableNames: 0 | 1 | 2
  /** The server's default charset; null: learned from SET character_set_server. */
  readonly serverCharset: string | null
  /** `include.schema.comments`. */
  readonly includesComments: boolean
  /** The time zone of the server's machine; absent: not known. */
  readonly systemTimeZone?: string
  /** `schema.history.internal.skip.unparseable.ddl`: such statements of the history change nothing. Default: false. */
  readonly skipsUnparseable?: boolean
}
