import { kafkaOptionsFromProperties, producerOptionsFromProperties } from '@tributary/kafka'
import { clientProperties } from '../../config/client-properties.ts'
import { withPrefix } from '../../config/worker-config.ts'
import { withoutNulls, type LocalCheck } from './check.ts'
import { refuseSettings } from './invalid-settings.ts'

/** `producer.override.…`: a client that cannot be created from them would fail the task. */
export const checkClients: LocalCheck = ({ workerProperties, config }, findings) => {
  const given = withoutNulls(config)
  if (Object.keys(withPrefix(given, 'producer.override.')).length === 0) return
  const properties = clientProperties('producer', workerProperties, given)
  try {
    kafkaOptionsFromProperties(properties)
    producerOptionsFromProperties(properties)
  } catch (error) {
    refuseSettings(findings, 'producer.override', error)
  }
}
