import type { SourceTables } from '@tributary/connect-api'
import type { ConfigWarning } from '@tributary/rest-api'
import { withoutNulls } from './checks/check.ts'
import type { CheckContext, CheckedValue, CheckRequest, ConfigChecks } from './config-checks.ts'
import { connectorWarnings } from './config-warnings.ts'
import { listSourceTables } from './source-tables.ts'
import { checkValues } from './resolved-checks.ts'

/** Runs the checks in the thread that calls it. */
export class SameThreadChecks implements ConfigChecks {
  readonly #context: CheckContext

  constructor(context: CheckContext) {
    this.#context = context
  }

  check(request: CheckRequest, signal: AbortSignal): Promise<readonly CheckedValue[]> {
    return checkValues(this.#context, request, signal)
  }

  warnings({ config, hasStoredOffsets }: CheckRequest, signal: AbortSignal): Promise<readonly ConfigWarning[]> {
    return connectorWarnings({ ...this.#context, hasStoredOffsets }, withoutNulls(config), signal)
  }

  tables({ config }: CheckRequest, signal: AbortSignal): Promise<SourceTables> {
    return listSourceTables(this.#context, withoutNulls(config), signal)
  }

  stop(): Promise<void> {
    return Promise.resolve()
  }
}
