import { runtimeErrors } from '../../errors.ts'
import { withoutNulls, type LocalCheck } from './check.ts'

/**
 * Refuses a value that is still a reference: no provider has that name. Kafka takes it for the value itself, and the
 * login then fails with the reference as password.
 */
export const checkReferences: LocalCheck = ({ config }, findings) => {
  for (const [property, value] of Object.entries(withoutNulls(config))) {
    const [reference, provider] = /^\s*\$\{([^:{}]+):[^}]+\}\s*$/.exec(value) ?? []
    if (reference === undefined || property.startsWith('transforms.')) continue
    const reason = `the worker has no config provider named ${provider} (its property config.providers)`
    findings.refuse(property, runtimeErrors.CONFIG_REFERENCE({ property, reference: reference.trim(), reason }).message)
  }
}
