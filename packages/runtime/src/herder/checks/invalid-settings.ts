import { CodedError } from '@tributary/support'
import type { Findings } from './check.ts'

/** Refuses the property with a coded error; another error is a bug and is thrown. */
export function refuseSettings(findings: Findings, property: string, error: unknown): void {
  if (!(error instanceof CodedError)) throw error
  findings.refuse(property, `Invalid settings of ${property}: ${error.message}`)
}
