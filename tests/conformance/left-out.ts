/**
 * The variants of the golden scripts that do not run in Avro, with the reason; and the properties without effect of
 * those that do. golden-coverage.test.ts checks that the list is complete and that each reason is true.
 */
export interface LeftOut {
  readonly script: string
  /** The empty name is the script without a variant. */
  readonly variants: readonly string[]
  readonly why:
    /** The property is refused, with that value. */
    | { readonly refused: string }
    /** The property is ignored, so the variant would equal the script without it. */
    | { readonly ignored: string }
    /** The connectors for JSON and Avro would both write into this table, and see the marks of each other. */
    | { readonly sharedTable: 'signal.data.collection' }
    /** In Avro, the variant equals another one. */
    | { readonly sameAs: string; readonly because: string }
}

/** Properties of Avro cases that this version ignores, with the reason to run the case nevertheless. */
export interface PassedOver {
  readonly script: string
  /** The empty name is the script without a variant. */
  readonly variants: readonly string[]
  readonly properties: readonly string[]
  readonly because: string
}

export const leftOut: readonly LeftOut[] = [
  {
    script: '19_snapshot_modes',
    variants: ['schema_only'],
    why: { sameAs: 'no_data', because: 'it is the former name of the mode; the reference refuses it' },
  },
  {
    script: '19_snapshot_modes',
    variants: ['schema_only_recovery'],
    why: { sameAs: 'recovery', because: 'it is the former name of the mode; the reference refuses it' },
  },
  {
    script: '22_smt_topics',
    variants: ['no-schemas', 'numeric-nodefault'],
    why: { sameAs: 'headers-off', because: 'its options are those of the JSON converter' },
  },
  {
    script: '25_incremental_snapshot',
    variants: ['', 'insert_delete'],
    why: { sharedTable: 'signal.data.collection' },
  },
]

export const ignored: readonly PassedOver[] = []
