import { Schema, Schemas } from '@tributary/connect-api'
import { CodedError } from '@tributary/support'
import assert from 'node:assert/strict'

/** The value schema of a table. */
export const tableSchema: Schema = Schema.struct(
  [
    ['id', Schemas.int32],
    ['name', Schemas.optionalString],
  ],
  { name: 'p.d.t.Value' },
)

/** The error that the work rejects with. */
export async function refusal(work: Promise<unknown>): Promise<CodedError> {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof CodedError)
    return error
  }
  return assert.fail('the work succeeded')
}
