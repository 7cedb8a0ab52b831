import { converterSpec } from '../../config/worker-config.ts'
import { withoutNulls, type LocalCheck } from './check.ts'
import { refuseSettings } from './invalid-settings.ts'

/** The settings of the converters that the connector names itself. */
export const checkConverters: LocalCheck = ({ plugins, config }, findings) => {
  const given = withoutNulls(config)
  for (const property of ['key.converter', 'value.converter', 'header.converter']) {
    const className = given[property]
    if (className === undefined || findings.isRefused(property)) continue
    const spec = converterSpec(property, className, given)
    try {
      if (property === 'header.converter') plugins.headerConverter(spec)
      else plugins.converter(spec, property === 'key.converter')
    } catch (error) {
      refuseSettings(findings, property, error)
    }
  }
}
