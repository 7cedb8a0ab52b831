import type { SourceRecord } from '@tributary/connect-api'
import { describeError, type CodedError } from '@tributary/support'
import { runtimeErrors } from '../errors.ts'
import { offsetJson } from '../storage/offset-record.ts'

/** The error of a record that fails its task: names the topic, the position in the source, and the step that failed. */
export function recordFailure(
  { topic, sourceOffset }: SourceRecord,
  doing: 'transformed' | 'converted' | 'sent',
  error: unknown,
): CodedError {
  const position = offsetJson(sourceOffset.toDocument())
  return runtimeErrors.RECORD_FAILED({ topic, position, doing, reason: describeError(error) }, error)
}
