import { ConfigError } from '@tributary/connect-api'
import { CodedError, silentLogger } from '@tributary/support'
import { createPredicate, createTransformation } from '../../plugins/create-stages.ts'
import { type StageKind, stageSpecs } from '../../plugins/stage-spec.ts'
import { withoutNulls, type LocalCheck } from './check.ts'

/**
 * Options of transformations and predicates that do not fit together, or that a class cannot use: Connect would find
 * them when the task starts.
 */
export const checkStages: LocalCheck = ({ plugins, config }, findings) => {
  const given = withoutNulls(config)
  const check = (kind: StageKind): void => {
    for (const spec of stageSpecs(kind, given)) {
      const names = [...findings.refusals].flatMap(([name, errors]) => (errors.length > 0 ? [name] : []))
      if (names.some((name) => name.startsWith(spec.prefix))) continue
      try {
        const stage =
          kind === 'transformation'
            ? createTransformation(plugins, spec, CONTEXT)
            : createPredicate(plugins, spec, CONTEXT)
        stage.close?.()
      } catch (error) {
        if (!(error instanceof CodedError || error instanceof ConfigError)) throw error
        findings.refuse(`${spec.prefix}type`, `Invalid settings of ${spec.prefix.slice(0, -1)}: ${error.message}`)
      }
    }
  }
  check('transformation')
  check('predicate')
}

/** The task logs their warnings, since it creates them too. */
const CONTEXT = { logger: silentLogger }
