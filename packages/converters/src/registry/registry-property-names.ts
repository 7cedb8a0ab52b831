/** Names of options and paths for one kind of registry, so that errors name those that the user has set. */
export interface RegistryPropertyNames {
  /** The property that names the registry. */
  readonly url: string
  /** The property that allows registration of schemas. */
  readonly register: string
  /** The property that selects the latest version. */
  readonly latest: string
  /** The property for existing artifacts; empty for Confluent's interface, which has none. */
  readonly ifExists: string
  /** The properties that set the login. */
  readonly login: string
  /** The property that names the trusted certificates. */
  readonly trustStore: string
  /** The paths under which such registries are reached. */
  readonly paths: string
}

/** `prefix`: put before the names, for example `value.converter.`. */
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
