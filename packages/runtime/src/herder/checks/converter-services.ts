import { StoppedError } from '@tributary/support'
import { converterSpec } from '../../config/worker-config.ts'
import { HerderError } from '../herder-error.ts'
import { withoutNulls, type Check } from './check.ts'
import { refuseSettings } from './invalid-settings.ts'

/** The services that those converters need, such as a schema registry. Asks both at once, since a client waits. */
export const checkConverterServices: Check = async ({ plugins, config, onStep, signal }, findings) => {
  const given = withoutNulls(config)
  const checks = ['key.converter', 'value.converter'].map(async (property) => {
    const className = given[property]
    if (className === undefined || findings.isRefused(property)) return
    const converter = plugins.converter(converterSpec(property, className, given), property === 'key.converter')
    if (converter.check === undefined) return
    onStep(`asking the service that ${property} names, such as a schema registry`)
    try {
      await converter.check(signal)
    } catch (error) {
      if (error instanceof StoppedError) throw new HerderError({ tag: 'worker stopping' }, error)
      refuseSettings(findings, property, error)
    }
  })
  await Promise.all(checks)
}
