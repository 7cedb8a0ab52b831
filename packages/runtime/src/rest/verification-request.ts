import type { StartVerificationRequest } from '@tributary/rest-api'
import { RequestError } from './request-error.ts'

/** The body of `POST …/verifications`; an empty one is a request without members. */
export function readVerificationRequest(body: Buffer): StartVerificationRequest {
  const document = body.length === 0 ? {} : parse(body)
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new RequestError(400, 'The body is not a JSON object with the members "tables" and "rate"')
  }
  const unknown = Object.keys(document).find((name) => name !== 'tables' && name !== 'rate')
  if (unknown !== undefined) throw new RequestError(400, `Unknown member "${unknown}": use "tables" and "rate"`)
  const { tables, rate } = document as { readonly tables?: unknown; readonly rate?: unknown }
  return { ...tablesOf(tables), ...rateOf(rate) }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch (error) {
    throw new RequestError(400, `The body is not JSON: ${error instanceof Error ? error.message : ''}`, error)
  }
}

function tablesOf(tables: unknown): Pick<StartVerificationRequest, 'tables'> {
  if (tables === undefined || tables === null) return {}
  if (!Array.isArray(tables) || !tables.every((each) => typeof each === 'string')) {
    throw new RequestError(400, '"tables" is not a list of texts: use ["database.table"]')
  }
  return { tables }
}

function rateOf(rate: unknown): Pick<StartVerificationRequest, 'rate'> {
  if (rate === undefined || rate === null) return {}
  if (typeof rate !== 'number' || !Number.isSafeInteger(rate) || rate < 1) {
    throw new RequestError(400, '"rate" is not a whole number of rows per second above 0')
  }
  return { rate }
}
