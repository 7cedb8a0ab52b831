import type { CheckReport, Finding } from '@tributary/connector-mysql'
import type { PropertyReport } from '@tributary/runtime'

/** A report as it is printed. */
export interface PrintedReport extends CheckReport {
  readonly name: string
  /** What becomes of each property. */
  readonly properties: readonly PropertyReport[]
  /** Sentences about what was not checked. */
  readonly notChecked: readonly string[]
}

/** Findings that the table of properties shows. */
const OF_PROPERTIES: ReadonlySet<string> = new Set([
  'CONFIG_INVALID',
  'PROPERTY_INEFFECTIVE',
  'PROPERTY_OLD',
  'CONFIG_REFERENCE',
])

/** The errors about properties, without those of the server and other services. */
export function refusalsOf(findings: readonly Finding[]): ReadonlyMap<string, readonly string[]> {
  const errors = findings.filter(({ code, severity }) => severity === 'error' && OF_PROPERTIES.has(code))
  return new Map(
    [...Map.groupBy(errors, ({ property }) => property)].map(([property, found]) => [
      property,
      [...new Set(found.map(({ message }) => message))],
    ]),
  )
}

/** Whether the table of properties has the text of a finding. */
export function isInTable({ code, property }: Finding, properties: readonly PropertyReport[]): boolean {
  return OF_PROPERTIES.has(code) && properties.some((each) => each.property === property)
}
