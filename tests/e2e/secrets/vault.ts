import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secrets } from './secrets.ts'

export type Mode = 'in clear' | 'file' | 'directory' | 'environment'

const PROVIDERS = 'org.apache.kafka.common.config.provider'

/** Secrets, and how a configuration names them: as they are, or by a reference of one of the config providers. */
export class Vault extends Secrets {
  readonly mode: Mode
  /** The key of each secret, also of a former one. */
  readonly #keys = new Map<string, string>()
  /** The secret of each key. */
  readonly #current = new Map<string, string>()

  constructor(mode: Mode) {
    super()
    this.mode = mode
    mkdirSync(join(this.folder, 'secrets'))
  }

  override make(kind: string): string {
    return this.adopt(super.make(kind))
  }

  /** Adds a secret that others know too, and returns it. */
  adopt(value: string): string {
    this.values.add(value)
    const key = `SECRET_${this.#current.size}`
    this.#keys.set(value, key)
    this.#current.set(key, value)
    this.write(Object.fromEntries(this.#current))
    writeFileSync(join(this.folder, 'secrets', key), value)
    return value
  }

  /** Replaces a secret with another one under the same reference, as an operator who changes a password does. */
  rotate(old: string, next: string): void {
    const key = this.#keys.get(old)
    if (key === undefined) throw new Error('the secret is not in the vault')
    this.#keys.set(next, key)
    this.#current.set(key, next)
    this.values.add(next)
    this.write(Object.fromEntries(this.#current))
  }

  /** The reference that replaces the secret. */
  name(secret: string): string {
    const key = this.#keys.get(secret) ?? ''
    switch (this.mode) {
      case 'in clear':
        return secret
      case 'file':
        return this.reference(key)
      case 'directory':
        return `\${directory:${join(this.folder, 'secrets')}:${key}}`
      case 'environment':
        return `\${env:${key}}`
    }
  }

  /** `sasl.jaas.config` of a user with that password. */
  login(user: string, secret: string): string {
    return `org.apache.kafka.common.security.plain.PlainLoginModule required username="${user}" password="${this.name(secret)}";`
  }

  /** For a service that is started after the last secret was made. */
  environment(): Record<string, string> {
    const values = this.mode === 'environment' ? [...this.#keys].map(([secret, key]) => [key, secret] as const) : []
    return {
      ...Object.fromEntries(values),
      CONNECT_CONFIG_PROVIDERS: 'file,directory,env',
      CONNECT_CONFIG_PROVIDERS_FILE_CLASS: `${PROVIDERS}.FileConfigProvider`,
      CONNECT_CONFIG_PROVIDERS_DIRECTORY_CLASS: `${PROVIDERS}.DirectoryConfigProvider`,
      CONNECT_CONFIG_PROVIDERS_ENV_CLASS: `${PROVIDERS}.EnvVarConfigProvider`,
    }
  }
}
