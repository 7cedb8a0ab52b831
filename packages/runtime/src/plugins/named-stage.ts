import type { TransformationStage } from '@tributary/connect-api'

/** A configured transformation and the Java class that it is known by. */
export interface NamedStage {
  readonly className: string
  readonly stage: TransformationStage
}
