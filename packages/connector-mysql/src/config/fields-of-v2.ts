/** Fields of events that the record format v1 does not have, as transformations name them. */
const ONLY_IN_V2 = /^(source\.)?(connector|sequence|query)$|^source\.ts_(ms|us|ns)$|^ts_(us|ns)$|^transaction\./

/** Whether an option adds the field to events of v1, too. */
function isAdded(field: string, config: Readonly<Record<string, string>>): boolean {
  const option = field.startsWith('transaction.') ? 'provide.transaction.metadata' : 'include.query'
  return /^(transaction\..*|(source\.)?query)$/.test(field) && config[option]?.trim().toLowerCase() === 'true'
}

/** Options that list fields of events: `op`, `source.ts_ms`, `source.ts_ms:time`. */
const LISTS = /^transforms\.[^.]+\.add\.(fields|headers)$/

export interface FieldsOfV2 {
  /** The property that names them. */
  readonly name: string
  readonly reason: string
}

/**
 * Properties of transformations that add fields which only events of the record format v2 have. In v1 the transformation
 * leaves these out, as it does with any field that an event lacks.
 */
export function fieldsOfV2(config: Readonly<Record<string, string>>): readonly FieldsOfV2[] {
  return Object.entries(config).flatMap(([name, value]) => {
    if (!LISTS.test(name)) return []
    const fields = value.split(',').map((entry) => entry.split(':')[0]?.trim() ?? '')
    const missing = fields.filter((field) => ONLY_IN_V2.test(field) && !isAdded(field, config))
    if (missing.length === 0) return []
    const reason = `names ${missing.join(', ')}, which events have in the record format v2 only. In v1 the records lack it; set source.struct.version to v2`
    return [{ name, reason }]
  })
}
