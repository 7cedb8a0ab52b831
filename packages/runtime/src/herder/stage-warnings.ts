import type { ConfigMap } from '@tributary/connect-api'
import type { ConfigWarning } from '@tributary/rest-api'
import { CodedError, silentLogger, type Logger, type LogFields } from '@tributary/support'
import { createPredicate, createTransformation } from '../plugins/create-stages.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { stageSpecs } from '../plugins/stage-spec.ts'

/** What the transformations and predicates of a valid configuration log when the task creates them. */
export function stageWarnings(plugins: Plugins, config: ConfigMap): readonly ConfigWarning[] {
  const specs = [...stageSpecs('transformation', config), ...stageSpecs('predicate', config)]
  return specs.flatMap((spec) => {
    const found: ConfigWarning[] = []
    const context = { logger: warningsOnly((option, message) => found.push(warning(spec.prefix, option, message))) }
    const create = spec.kind === 'transformation' ? createTransformation : createPredicate
    try {
      create(plugins, spec, context).close?.()
    } catch (error) {
      // The validation reports it.
      if (!(error instanceof CodedError)) throw error
    }
    return found
  })
}

/** `prefix`: `transforms.ALIAS.` */
function warning(prefix: string, option: string | null, message: string): ConfigWarning {
  return { property: prefix + (option ?? 'type'), message: `${prefix.slice(0, -1)}: ${message}` }
}

function warningsOnly(report: (option: string | null, message: string) => void): Logger {
  return {
    ...silentLogger,
    warn: (message: string, fields: LogFields = {}) => {
      const { option } = fields
      report(typeof option === 'string' ? option : null, message)
    },
    child: () => warningsOnly(report),
  }
}
