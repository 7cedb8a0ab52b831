import { withoutNulls, type Check } from './check.ts'

/** Connect's checks of `exactly.once.support` and `transaction.boundary`, with its texts (AbstractHerder). */
export const checkExactlyOnce: Check = ({ connector, workerProperties, config }, findings) => {
  const given = withoutNulls(config)
  if (isSet(given['exactly.once.support'], 'required') && !findings.isRefused('exactly.once.support')) {
    if (!isSet(workerProperties['exactly.once.source.support'], 'enabled'))
      findings.refuse('exactly.once.support', NOT_ENABLED)
    const support = connector.exactlyOnceSupport?.(given)
    if (support !== true) findings.refuse('exactly.once.support', support === undefined ? UNKNOWN : UNSUPPORTED)
  }
  if (isSet(given['transaction.boundary'], 'connector') && !findings.isRefused('transaction.boundary')) {
    if (connector.canDefineTransactionBoundaries?.(given) !== true)
      findings.refuse('transaction.boundary', NO_BOUNDARIES)
  }
}

function isSet(value: string | undefined, expected: string): boolean {
  return value?.trim().toLowerCase() === expected
}

const NOT_ENABLED = 'This worker does not have exactly-once source support enabled.'
const UNKNOWN =
  'The connector does not implement the API required for preflight validation of exactly-once source support. Please consult the documentation for the connector to determine whether it supports exactly-once semantics, and then consider reconfiguring the connector to use the value "requested" for this property (which will disable this preflight check and allow the connector to be created).'
const UNSUPPORTED = 'The connector does not support exactly-once semantics with the provided configuration.'
const NO_BOUNDARIES =
  'The connector does not support connector-defined transaction boundaries with the given configuration. Please reconfigure it to use a different transaction boundary definition.'
