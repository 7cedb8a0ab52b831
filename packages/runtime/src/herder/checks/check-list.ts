import type { Check, LocalCheck } from './check.ts'
import { checkClients } from './clients.ts'
import { checkConnectProperties } from './connect-properties.ts'
import { checkConnectorProperties } from './connector-properties.ts'
import { checkConnectorRefusals } from './connector-refusals.ts'
import { checkConnectorValidation } from './connector-validation.ts'
import { checkConverterServices } from './converter-services.ts'
import { checkConverters } from './converters.ts'
import { checkExactlyOnce } from './exactly-once.ts'
import { checkReferences } from './references.ts'
import { checkStages } from './stages.ts'
import { checkTopicCreation } from './topic-creation.ts'

/** All checks of a connector's configuration, in the order in which their findings are reported. */
export const allChecks: readonly Check[] = [
  checkConnectProperties,
  checkConnectorProperties,
  checkReferences,
  checkConverters,
  checkStages,
  checkTopicCreation,
  checkExactlyOnce,
  checkConverterServices,
  checkClients,
  checkConnectorRefusals,
  checkConnectorValidation,
]

/** Those of Connect itself that ask neither the connector nor the outside world. */
export const localChecks: readonly LocalCheck[] = [
  checkConnectProperties,
  checkReferences,
  checkConverters,
  checkStages,
  checkTopicCreation,
  checkClients,
]
