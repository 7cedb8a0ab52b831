import { ConfigDef, connectErrors, type ConfigKey, type ConfigValues } from '@tributary/connect-api'
import type { Clock } from '@tributary/support'
import { ApicurioRegistry } from './apicurio-registry.ts'
import { ConfluentRegistry } from './confluent-registry.ts'
import { basicLogin, HttpClient } from './http-client.ts'
import { RegistryAnswers } from './registry-answers.ts'
import { apicurioPropertyNames, confluentPropertyNames } from './registry-property-names.ts'
import { apicurioKeys, confluentKeys } from './registry-keys.ts'
import type { SchemaRegistry } from './schema-registry.ts'
import { apicurioSubjects, confluentSubjects, groupOfReference, type SubjectNaming } from './subject-names.ts'
import { tlsOptions } from './tls-options.ts'

/** Where the id of a value's schema is written. */
export type IdPlace =
  /** Before the value: the magic byte 0 and the id, big-endian. */
  | { readonly tag: 'payload'; readonly idBytes: 4 | 8 }
  /** In a header of eight bytes, beside a header with the encoding of the value. */
  | { readonly tag: 'header'; readonly name: string; readonly encodingName: string }

/** The registry that the options of a converter configure. */
export interface RegistrySettings {
  readonly registry: SchemaRegistry
  readonly subjects: SubjectNaming
  readonly idPlace: IdPlace
  readonly form: SchemaForm
}

/** How a schema is registered. */
export interface SchemaForm {
  /** Records within a schema are registered as schemas of their own. */
  readonly isSplit: boolean
  /**
   * An optional struct is registered and written as a record, not as a union: Apicurio's serializer takes the schema
   * from the record.
   */
  readonly hasPlainRecords: boolean
}

type Options = Readonly<Record<string, string>>

const definition = new ConfigDef([...confluentKeys, ...apicurioKeys])

/** The converter that the options are for. */
export interface OptionsOwner {
  readonly isKey: boolean
  /** The prefix that the user wrote before the options, for messages. */
  readonly prefix: string
  readonly clock: Clock
  /** The converter works with Confluent's interface only. */
  readonly isConfluentOnly?: boolean
}

/**
 * Returns the registry that the options of a converter name: `schema.registry.url` or `apicurio.registry.url`.
 *
 * @throws CONVERTER_OPTION for the first option with an invalid value, or when no registry is named
 */
export function registrySettings(options: Options, owner: OptionsOwner): RegistrySettings {
  const values = valuesOf(options)
  const confluentUrls = values.list('schema.registry.url')
  const apicurioUrls = values.list('apicurio.registry.url')
  if (confluentUrls.length > 0) return confluentSettings(values, owner)
  const isConfluentOnly = owner.isConfluentOnly === true
  if (apicurioUrls.length > 0 && !isConfluentOnly) return apicurioSettings(values, owner)
  throw connectErrors.CONVERTER_OPTION({
    name: 'schema.registry.url',
    value: '(none)',
    reason: isConfluentOnly
      ? 'the converter needs schema.registry.url; of Apicurio Registry, the address with /apis/ccompat/v7'
      : 'the Avro converter needs schema.registry.url, or apicurio.registry.url for the native interface of Apicurio',
  })
}

function valuesOf(options: Options): ConfigValues {
  for (const { name, errors } of definition.validate(options)) {
    const [reason] = errors
    if (reason === undefined) continue
    const isSecret = definition.keys.some((key: ConfigKey) => key.name === name && key.type === 'PASSWORD')
    throw connectErrors.CONVERTER_OPTION({ name, value: isSecret ? '[hidden]' : (options[name] ?? 'null'), reason })
  }
  return definition.parse(options)
}

function confluentSettings(values: ConfigValues, { isKey, prefix, clock }: OptionsOwner): RegistrySettings {
  const names = confluentPropertyNames(prefix)
  const strategy = isKey ? 'key.subject.name.strategy' : 'value.subject.name.strategy'
  const http = new HttpClient({
    urls: urlsOf(values, 'schema.registry.url', ''),
    headers: {
      Accept: 'application/vnd.schemaregistry.v1+json, application/json',
      'Content-Type': 'application/vnd.schemaregistry.v1+json',
      ...confluentLogin(values),
    },
    usesUrlLogin: values.string('basic.auth.credentials.source').toUpperCase() === 'URL',
    tls: tlsOptions(values),
    trustProperty: names.trustStore,
    timeoutMs: values.integer('http.read.timeout.ms'),
    clock,
  })
  const registry = new ConfluentRegistry(new RegistryAnswers(http, names), {
    isAutomatic: values.boolean('auto.register.schemas'),
    usesLatest: values.boolean('use.latest.version'),
    isNormalized: values.boolean('normalize.schemas'),
  })
  const subjects = confluentSubjects(strategy, values.string(strategy), isKey)
  const form = { isSplit: false, hasPlainRecords: false }
  return { registry, subjects, idPlace: { tag: 'payload', idBytes: 4 }, form }
}

function confluentLogin(values: ConfigValues): Record<string, string> {
  if (values.optionalString('bearer.auth.credentials.source') !== null) {
    return { Authorization: `Bearer ${required(values, 'bearer.auth.token')}` }
  }
  if (values.string('basic.auth.credentials.source').toUpperCase() === 'URL') return {}
  return { Authorization: basicLogin(required(values, 'basic.auth.user.info')) }
}

function apicurioSettings(values: ConfigValues, { isKey, prefix, clock }: OptionsOwner): RegistrySettings {
  const names = apicurioPropertyNames(prefix)
  const user = values.optionalString('apicurio.registry.auth.username')
  const login =
    user === null ? {} : { Authorization: basicLogin(`${user}:${required(values, 'apicurio.registry.auth.password')}`) }
  const http = new HttpClient({
    urls: urlsOf(values, 'apicurio.registry.url', '/apis/registry/v3'),
    headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...login },
    usesUrlLogin: user === null,
    tls: tlsOptions(values),
    trustProperty: names.trustStore,
    timeoutMs: values.integer('http.read.timeout.ms'),
    clock,
  })
  const idName = values.string('apicurio.registry.use-id').toLowerCase() === 'globalid' ? 'globalId' : 'contentId'
  const registry = new ApicurioRegistry(new RegistryAnswers(http, names), {
    isAutomatic: values.boolean('apicurio.registry.auto-register'),
    usesLatest: values.boolean('apicurio.registry.find-latest'),
    idName,
    ifExists: values.string('apicurio.registry.auto-register.if-exists').toUpperCase(),
    groupOfReference: (namespace) =>
      values.optionalString(GROUP) ?? groupOfReference(values.string(STRATEGY), namespace),
  })
  return {
    registry,
    subjects: artifacts(values, isKey),
    idPlace: idPlaceOf(values, isKey, idName),
    form: { isSplit: !values.boolean('apicurio.registry.dereference-schema'), hasPlainRecords: true },
  }
}

const STRATEGY = 'apicurio.registry.artifact-resolver-strategy'
const GROUP = 'apicurio.registry.artifact.group-id'

function artifacts(values: ConfigValues, isKey: boolean): SubjectNaming {
  const naming = apicurioSubjects(STRATEGY, values.string(STRATEGY), isKey)
  const group = values.optionalString(GROUP)
  const artifact = values.optionalString('apicurio.registry.artifact.artifact-id')
  return (topic, recordName) => {
    const named = naming(topic, recordName)
    return { group: group ?? named.group, name: artifact ?? named.name }
  }
}

function idPlaceOf(values: ConfigValues, isKey: boolean, idName: string): IdPlace {
  const role = isKey ? 'key' : 'value'
  if (values.boolean('apicurio.registry.headers.enabled')) {
    return { tag: 'header', name: `apicurio.${role}.${idName}`, encodingName: `apicurio.${role}.encoding` }
  }
  const isLong = values.string('apicurio.registry.id-handler').endsWith('Legacy8ByteIdHandler')
  return { tag: 'payload', idBytes: isLong ? 8 : 4 }
}

/** `pathOfNone`: the path for an address without one. */
function urlsOf(values: ConfigValues, property: string, pathOfNone: string): readonly URL[] {
  return values.list(property).map((text, index) => {
    const url = URL.parse(text)
    if (url === null || !/^https?:$/.test(url.protocol) || !hasReadableLogin(url)) {
      // Not shown: any part of an invalid address may be a password.
      const value = `(address ${index + 1})`
      const reason =
        'it is not an http or https URL; write /, %, @, : and commas in a user or password as %2F, %25, %40, %3A and %2C'
      throw connectErrors.CONVERTER_OPTION({ name: property, value, reason })
    }
    if (pathOfNone !== '' && /\/apis?(\/|$)(?!registry\/v3)/.test(url.pathname)) {
      const reason = `this is not Apicurio's interface v3 (…${pathOfNone}); with a registry that has only an older one, use io.confluent.connect.avro.AvroConverter and schema.registry.url, with the path /apis/ccompat/v7 or the one that the registry documents`
      throw connectErrors.CONVERTER_OPTION({ name: property, value: url.origin + url.pathname, reason })
    }
    if (pathOfNone !== '' && url.pathname === '/') url.pathname = pathOfNone
    return url
  })
}

function hasReadableLogin({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

function required(values: ConfigValues, name: string): string {
  const value = values.optionalString(name)
  if (value !== null && value !== '') return value
  throw connectErrors.CONVERTER_OPTION({ name, value: '(none)', reason: 'the chosen kind of login needs it' })
}
