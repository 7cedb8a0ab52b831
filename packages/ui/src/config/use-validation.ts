import type { ConfigInfos, ConfigKeyInfo, ConfigWarning } from '@tributary/rest-api'
import { useEffect, useState } from 'preact/hooks'
import { request } from '../api/client.ts'
import type { Config } from './changes.ts'

export interface Validation {
  readonly isRunning: boolean
  /** Errors by property. */
  readonly errors: ReadonlyMap<string, readonly string[]>
  readonly warnings: readonly ConfigWarning[]
  /** All properties, also those of the runtime, converters and transformations. */
  readonly definitions: readonly ConfigKeyInfo[]
  /** The validation itself failed. */
  readonly failure: Error | null
  /** The configuration that these are about; null before the first validation. */
  readonly of: Config | null
}

const NOTHING: Validation = {
  isRunning: false,
  errors: new Map(),
  warnings: [],
  definitions: [],
  failure: null,
  of: null,
}

/** After the last key: the worker connects to the database for each validation. */
const PAUSE_MS = 800

/** Validates a configuration, with the findings of the pre-flight, whenever it has not changed for a moment. */
export function useValidation(config: Config, isEnabled: boolean): Validation {
  const [validation, setValidation] = useState(NOTHING)
  const className = config['connector.class'] ?? ''
  const text = JSON.stringify(config)
  useEffect(() => {
    if (!isEnabled || className === '') return undefined
    const stop = new AbortController()
    const timer = setTimeout(() => {
      setValidation((last) => ({ ...last, isRunning: true }))
      validate(className, config, stop.signal).then(setValidation, (failure: Error) => {
        if (!stop.signal.aborted)
          setValidation((last) => ({ ...NOTHING, definitions: last.definitions, failure, of: config }))
      })
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text, isEnabled])
  return validation
}

async function validate(className: string, config: Config, signal: AbortSignal): Promise<Validation> {
  const path = `/connector-plugins/${encodeURIComponent(className)}/config/validate?warnings=true`
  const answer = (await request('PUT', path, config, signal)) as ConfigInfos & { warnings?: readonly ConfigWarning[] }
  const errors = new Map<string, readonly string[]>()
  for (const { value } of answer.configs) if (value.errors.length > 0) errors.set(value.name, value.errors)
  const definitions = answer.configs.flatMap(({ definition }) => definition ?? [])
  return { isRunning: false, errors, warnings: answer.warnings ?? [], definitions, failure: null, of: config }
}
