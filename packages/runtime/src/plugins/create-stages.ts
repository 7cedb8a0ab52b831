import type {
  ConfigMap,
  Predicate,
  SourceRecord,
  StageContext,
  Transformation,
  TransformationStage,
} from '@tributary/connect-api'
import { runtimeErrors } from '../errors.ts'
import type { NamedStage } from './named-stage.ts'
import type { Plugins } from './plugins.ts'
import { type StageSpec, stageSpecs } from './stage-spec.ts'

/**
 * The configured transformations of a connector, in order. `config`: a valid configuration whose references are
 * resolved.
 *
 * @throws CLASS_UNKNOWN, PREDICATE_UNKNOWN, and the errors of `configure`
 */
export function createStages(plugins: Plugins, config: ConfigMap, context: StageContext): readonly NamedStage[] {
  const predicates = new Map(stageSpecs('predicate', config).map((spec) => [spec.alias, spec]))
  return stageSpecs('transformation', config).map((spec) => {
    const transformation = createTransformation(plugins, spec, context)
    const className = plugins.stage(spec.kind, spec.className ?? '')?.className ?? ''
    const property = `${spec.prefix}predicate`
    const alias = config[property]?.trim()
    if (alias === undefined) return { className, stage: transformation }
    const predicateSpec = predicates.get(alias)
    // Without its predicate, the transformation would change all records.
    if (predicateSpec === undefined) throw runtimeErrors.PREDICATE_UNKNOWN({ property, predicate: alias })
    const predicate = createPredicate(plugins, predicateSpec, context)
    const isNegated = config[`${spec.prefix}negate`]?.trim().toLowerCase() === 'true'
    return { className, stage: new ConditionalStage(transformation, predicate, isNegated) }
  })
}

export function createTransformation(plugins: Plugins, spec: StageSpec, context: StageContext): Transformation {
  const plugin = plugins.stage('transformation', spec.className ?? '')
  if (plugin === null) throw unknownClass(spec)
  const transformation = plugin.create()
  transformation.configure(spec.options, context)
  return transformation
}

export function createPredicate(plugins: Plugins, spec: StageSpec, context: StageContext): Predicate {
  const plugin = plugins.stage('predicate', spec.className ?? '')
  if (plugin === null) throw unknownClass(spec)
  const predicate = plugin.create()
  predicate.configure(spec.options, context)
  return predicate
}

function unknownClass({ className, kind }: StageSpec): Error {
  return runtimeErrors.CLASS_UNKNOWN({ className: className ?? '', kind })
}

/** A transformation of the records that a predicate accepts; others pass unchanged. */
class ConditionalStage implements TransformationStage {
  readonly #transformation: Transformation
  readonly #predicate: Predicate
  readonly #isNegated: boolean

  constructor(transformation: Transformation, predicate: Predicate, isNegated: boolean) {
    this.#transformation = transformation
    this.#predicate = predicate
    this.#isNegated = isNegated
  }

  apply(record: SourceRecord): SourceRecord | null {
    return this.#predicate.test(record) === this.#isNegated ? record : this.#transformation.apply(record)
  }

  close(): void {
    this.#transformation.close?.()
    this.#predicate.close?.()
  }
}
