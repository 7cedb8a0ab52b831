import type { PropertyEffect } from '@tributary/connect-api'
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
  'CONFIG_REFERENCE',
  'PROPERTY_INEFFECTIVE',
  'PROPERTY_OLD',
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

/** What the warnings about properties say of their effects: without one, or read under another name or value. */
export function notedEffects(findings: readonly Finding[]): ReadonlyMap<string, PropertyEffect> {
  const warnings = findings.filter(({ code, severity }) => severity === 'warning' && OF_PROPERTIES.has(code))
  return new Map(
    warnings.map(({ property, message }) => {
      const text = `It ${message.replace(`The property ${property} `, '')}`
      const sentence = /[.?]$/.test(text) ? text : `${text}.`
      return [
        property,
        /no effect/.test(text) ? { tag: 'no effect', why: sentence } : { tag: 'as before', note: sentence },
      ]
    }),
  )
}

/** Whether the table of properties has the text of a finding. */
export function isInTable({ code, property }: Finding, properties: readonly PropertyReport[]): boolean {
  return OF_PROPERTIES.has(code) && properties.some((each) => each.property === property)
}
