import type { CreateConnectorRequest } from '@tributary/rest-api'
import { isHiddenValue } from '../config/shown-value.ts'
import type { NullableConfig } from '../herder/herder.ts'
import { readTextMapDocument, type TextMap } from './json/json-values.ts'
import { readRegistrationDocument, registrationClass } from './json/registration-document.ts'
import { RequestError } from './request-error.ts'

/**
 * The registration in the body of `POST /connectors`. Its configuration contains the connector's name as `name`, at the
 * end unless the client sent the property. The messages are those of Kafka Connect 4.3, whose errors about a missing
 * part are the texts of NullPointerExceptions.
 */
export function readRegistration(body: Buffer): CreateConnectorRequest {
  const document = readRegistrationDocument(body)
  if (document === null) {
    throw new RequestError(500, `Cannot invoke "${registrationClass}.name()" because "createRequest" is null`)
  }
  const name = trimJava(document.name ?? '')
  return { name, config: withName(document.config, name), initialState: document.initialState }
}

/** The configuration in the body of `PUT /connectors/{connector}/config`, with the name from the path. */
export function readConnectorConfig(body: Buffer, name: string): NullableConfig {
  return withName(readTextMapDocument(body), name)
}

/**
 * The configuration in the body of `PUT /connector-plugins/{plugin}/config/validate`; its class, if any, is the
 * plug-in.
 */
export function readConfigToValidate(body: Buffer, plugin: string): NullableConfig {
  const config = Object.fromEntries(present(readTextMapDocument(body)))
  const className = config['connector.class'] ?? null
  if (className !== null && !withoutKind(className).endsWith(withoutKind(plugin))) {
    throw new RequestError(400, `Included connector type ${className} does not match request type ${plugin}`)
  }
  return config
}

/** The part of a class name or alias that is compared: without `Connector` at the end. */
function withoutKind(className: string): string {
  return className.length > 'Connector'.length ? className.replace(/Connector$/, '') : className
}

/** The changes in the body of `PATCH /connectors/{connector}/config`. */
export function readConfigPatch(body: Buffer): NullableConfig {
  const patch = readTextMapDocument(body)
  if (patch === null) {
    const invocation = '"java.util.Map.forEach(java.util.function.BiConsumer)"'
    throw new RequestError(500, `Cannot invoke ${invocation} because "patch" is null`)
  }
  refuseHidden(patch)
  return Object.fromEntries(patch)
}

function present(properties: TextMap | null): TextMap {
  if (properties !== null) return properties
  throw new RequestError(500, 'Cannot invoke "java.util.Map.get(Object)" because "connectorConfig" is null')
}

function withName(properties: TextMap | null, name: string): NullableConfig {
  const config = new Map(present(properties))
  const configuredName = config.get('name') ?? name
  if (configuredName !== name) {
    const names = `(${configuredName}) doesn't match connector name in the URL (${name})`
    throw new RequestError(400, `Connector name configuration ${names}`)
  }
  refuseHidden(config)
  config.set('name', name)
  // `fromEntries` keeps a property named `__proto__`, an assignment does not.
  return Object.fromEntries(config)
}

/** Refuses a configuration saved by a user who may only read: it would replace passwords by `[hidden]`. */
function refuseHidden(properties: TextMap): void {
  for (const [property, value] of properties) {
    if (value === null || !isHiddenValue(property, value)) continue
    const origin = 'which replaces a password in what users who may only read get'
    throw new RequestError(400, `${property} has the value [hidden], ${origin}. Set its real value`)
  }
}

/** Java's `String.trim`, which removes spaces and control characters at both ends. */
function trimJava(text: string): string {
  return text.replaceAll(/^[\0- ]+|[\0- ]+$/g, '')
}
