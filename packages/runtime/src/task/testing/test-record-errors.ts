import { noMeter } from '@tributary/support'
import { captureLogger, fakeClock } from '@tributary/testkit'
import { errorPolicy, type ErrorPolicy } from '../tolerance/error-policy.ts'
import { RecordErrors, type RecordErrorsOptions } from '../tolerance/record-errors.ts'

/** The errors of task c-0, by default with the policy of a connector that sets nothing. */
export function testRecordErrors(
  options: Partial<Omit<RecordErrorsOptions, 'policy'>> & { readonly policy?: Partial<ErrorPolicy> } = {},
): RecordErrors {
  return new RecordErrors({
    taskId: 'c-0',
    classes: {
      KEY_CONVERTER: 'org.example.KeyConverter',
      VALUE_CONVERTER: 'org.example.ValueConverter',
      HEADER_CONVERTER: 'org.example.HeaderConverter',
      KAFKA_PRODUCE: 'org.example.Task',
    },
    clock: fakeClock(),
    logger: captureLogger(),
    meter: noMeter,
    ...options,
    policy: { ...errorPolicy({}), ...options.policy },
  })
}
