import type { Check } from './check.ts'

/** The properties that the connector defines, each by itself. */
export const checkConnectorProperties: Check = ({ connector, config }, findings) => {
  for (const value of connector.config().validate(config)) findings.addValue(value)
}
