import { transformErrors } from '../../errors.ts'

/** A column that an event has beside key, id and payload. */
export interface AdditionalField {
  readonly column: string
  readonly placement: Placement
  /** Of the header or the field. */
  readonly newName: string
}

const PLACEMENTS = ['header', 'envelope', 'partition'] as const

export type Placement = (typeof PLACEMENTS)[number]

const OPTION = 'table.fields.additional.placement'

/**
 * Parses entries such as `region:header` and `kind:envelope:eventType`.
 *
 * @throws TRANSFORMATION_OPTION for an unknown placement, and for two fields of the envelope with one name
 */
export function parseAdditionalFields(entries: readonly string[]): readonly AdditionalField[] {
  const names = new Set(['payload'])
  return entries.map((entry) => {
    const [column = '', place = '', alias] = entry.split(':').map((part) => part.trim())
    const placement = PLACEMENTS.find((known) => known === place.toLowerCase())
    if (placement === undefined) {
      throw refusal(entries, `the placement of '${entry}' is none of ${PLACEMENTS.join(', ')}`)
    }
    const newName = alias === undefined || alias === '' ? column : alias
    if (placement === 'envelope') {
      if (names.has(newName)) throw refusal(entries, `two fields of the envelope have the name '${newName}'`)
      names.add(newName)
    }
    return { column, placement, newName }
  })
}

function refusal(entries: readonly string[], reason: string): Error {
  return transformErrors.TRANSFORMATION_OPTION({ name: OPTION, value: entries.join(','), reason })
}
