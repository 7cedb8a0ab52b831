import { withoutNulls, type Check } from './check.ts'

/** What the connector refuses without asking the outside world. */
export const checkConnectorRefusals: Check = ({ connector, config }, findings) => {
  const found = connector.refusals?.(withoutNulls(config)) ?? {}
  for (const [property, errors] of Object.entries(found)) findings.refuse(property, ...errors)
}
