import type { CodedError } from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import { variableOf } from './environment.ts'

/** The error for one invalid setting. */
export function invalidSetting(property: string, reason: string, cause?: unknown): CodedError {
  const names = { variables: variableOf(property), properties: property }
  return runtimeErrors.WORKER_SETTING_INVALID({ reason, ...names }, cause)
}
