/** What the options and routes of a kind of registry are called, so that errors speak of those that the user has. */
export interface RegistryPropertyNames {
  /** The property that names the registry. */
  readonly url: string
  /** The property that lets schemas be registered. */
  readonly register: string
  /** The property that asks for the latest version. */
  readonly latest: string
  /** The property of what happens to an artifact that is there; only Apicurio's own interface has it. */
  readonly ifExists: string
  /** The properties of the login. */
  readonly login: string
  /** The property that names the certificates that are trusted. */
  readonly trustStore: string
  /** Which paths such a registry stands under. */
  readonly paths: string
}

/** `prefix`: what stands before the names, as `value.converter.`. */
export function confluentPropertyNames(prefix: string): RegistryPropertyNames {
  return {
    url: `${prefix}schema.registry.url`,
    register: `${prefix}auto.register.schemas`,
    latest: `${prefix}use.latest.version`,
    ifExists: '',
    login: `${prefix}basic.auth.user.info or ${prefix}bearer.auth.token`,
    trustStore: `${prefix}schema.registry.ssl.truststore.location`,
    paths:
      'Confluent Schema Registry, Karapace and Redpanda have none, or /contexts/.NAME; Apicurio Registry has /apis/ccompat/v7',
  }
}

export function apicurioPropertyNames(prefix: string): RegistryPropertyNames {
  return {
    url: `${prefix}apicurio.registry.url`,
    register: `${prefix}apicurio.registry.auto-register`,
    latest: `${prefix}apicurio.registry.find-latest`,
    ifExists: `${prefix}apicurio.registry.auto-register.if-exists`,
    login: `${prefix}apicurio.registry.auth.username and ${prefix}apicurio.registry.auth.password`,
    trustStore: `${prefix}apicurio.registry.request.ssl.truststore.location`,
    paths: '/apis/registry/v3 of Apicurio Registry 3',
  }
}
