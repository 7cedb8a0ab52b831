import type { SourceConnector } from '@tributary/connect-api'
import { StoppedError, toError } from '@tributary/support'
import { ConfigProviders } from '../config/providers/config-providers.ts'
import { SecretMask } from '../config/providers/secret-mask.ts'
import { allChecks } from './checks/check-list.ts'
import { Findings, withoutNulls, type ConfigInput } from './checks/check.ts'
import type { CheckContext, CheckedValue, CheckRequest } from './config-checks.ts'
import { createConnector, definedKeys, type DefinedKeys } from './defined-keys.ts'
import { HerderError } from './herder-error.ts'

/**
 * Runs all checks of a configuration, after its references are resolved. Returns every property that is defined or has
 * an error: Connect's own, then the connector's, each in the order of definition, then others that are refused.
 *
 * @throws HerderError without a class, with an unknown one, or when a check itself fails
 */
export async function checkValues(
  context: CheckContext,
  request: CheckRequest,
  signal: AbortSignal,
): Promise<readonly CheckedValue[]> {
  const { config } = request
  const connector = createConnector(context.plugins, config)
  const keys = definedKeys(context.plugins, connector, config)
  const { findings, mask } = await checkResolved(context, connector, request, signal)
  const { values, refusals } = findings
  const names = new Set([...keys.keys(), ...refusals.keys()])
  for (const [name, value] of Object.entries(config)) if (value === null) names.add(name)
  return [...names].map((name) => {
    const errors = [...(config[name] === null ? [NULL_VALUE] : []), ...(refusals.get(name) ?? [])]
    const value = answeredValue({ keys, name, config, value: values.get(name)?.value ?? null })
    return { name, value: value === null ? null : mask.text(value), errors: errors.map((text) => mask.text(text)) }
  })
}

interface Checked {
  readonly findings: Findings
  /** For everything that is shown of it. */
  readonly mask: SecretMask
}

/** Runs all checks on the values of the references. */
async function checkResolved(
  { plugins, workerProperties, onStep = () => undefined }: CheckContext,
  connector: SourceConnector,
  { config, hasStoredOffsets }: CheckRequest,
  signal: AbortSignal,
): Promise<Checked> {
  onStep('resolving its references to config providers')
  const providers = ConfigProviders.of(workerProperties)
  const worker = providers.resolve(workerProperties)
  const { config: resolved, errors, mask: ownMask } = providers.resolve(withoutNulls(config))
  const findings = new Findings()
  if (errors.size > 0) {
    for (const [name, { message }] of errors) findings.refuse(name, message)
    // No value is known, and the text names the reference, which may be the whole of a password.
    return { findings, mask: new SecretMask(new Map()) }
  }
  const mask = ownMask.with(worker.mask)
  const subject = {
    plugins,
    workerProperties: worker.config,
    connector,
    config: { ...config, ...resolved },
    hasStoredOffsets,
    onStep: (doing: string): void => onStep(mask.text(doing)),
    signal,
  }
  try {
    subject.onStep('checking its properties')
    for (const check of allChecks) await check(subject, findings)
    return { findings, mask }
  } catch (error) {
    throw error instanceof StoppedError ? error : maskedError(error, mask)
  }
}

/** An error of a check without the secrets that its texts may contain. */
function maskedError(error: unknown, mask: SecretMask): Error {
  if (!(error instanceof HerderError)) return mask.error(toError(error))
  const { problem } = error
  if (problem.tag !== 'validation failed') return error
  return new HerderError({ ...problem, reason: mask.text(problem.reason) }, mask.error(error))
}

interface AnsweredValue {
  readonly keys: DefinedKeys
  readonly name: string
  readonly config: ConfigInput
  /** The parsed value. */
  readonly value: string | null
}

/** The given text where that is a reference. A property that nothing defines may be a secret, so it is not shown. */
function answeredValue({ keys, name, config, value }: AnsweredValue): string | null {
  const key = keys.get(name)
  if (key === undefined || key.type === 'PASSWORD') return value
  const given = [key.name, ...(key.aliases ?? [])].map((each) => config[each]).find((text) => text !== undefined)
  return given?.includes('${') === true ? given : value
}

/** Refuses a property whose value is JSON null: before its other errors, and also when nothing defines it. */
const NULL_VALUE = 'Null value can not be supplied as the configuration value.'
