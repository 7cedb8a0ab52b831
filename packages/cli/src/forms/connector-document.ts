/** The forms in which people keep connectors. */
export type FormName = 'json' | 'properties' | 'yaml' | 'ksqldb' | 'terraform'

/** A connector as its file describes it. The values are unchecked: the service validates them. */
export interface ConnectorDocument {
  readonly name: string
  readonly config: Readonly<Record<string, string>>
  /** RUNNING, PAUSED or STOPPED, or what the file has instead; undefined when the file does not set it. */
  readonly initialState: unknown
  readonly form: FormName
  /** The connector is not to be changed if it exists (`IF NOT EXISTS`). */
  readonly isOnlyForNew: boolean
  /** Sentences about parts of the file that do not reach the service. */
  readonly notes: readonly string[]
}

/** A connector as a form has it: the name may be missing. */
export interface FormDocument {
  readonly name?: string | undefined
  readonly config: Readonly<Record<string, string>>
  readonly initialState?: unknown
  readonly isOnlyForNew?: boolean
  /** True: `--name` must not contradict the name. */
  readonly isNameFixed?: boolean
  readonly notes?: readonly string[]
}
