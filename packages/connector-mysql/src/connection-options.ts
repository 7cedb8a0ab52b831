import type { MySqlConnectionOptions, MySqlTlsOptions } from '@tributary/mysql'
import type { Logger } from '@tributary/support'
import { readFile } from 'node:fs/promises'
import type { ConnectorConfig } from './config/connector-config.ts'
import { connectorErrors } from './errors.ts'

/** Options of the connector's connections; reads the files that its configuration names. */
export async function connectionOptions(config: ConnectorConfig, logger: Logger): Promise<MySqlConnectionOptions> {
  const { host, port, user, password, connectTimeoutMs, allowsPublicKeyRetrieval } = config
  const tls = await tlsOptions(config)
  return { host, port, user, password, connectTimeoutMs, allowsPublicKeyRetrieval, tls, logger }
}

async function tlsOptions(config: ConnectorConfig): Promise<MySqlTlsOptions> {
  const { tlsMode, trustStorePath, keyStorePath, keyStorePassword } = config
  const store = keyStorePath === null ? null : await readPem(keyStorePath, 'database.ssl.keystore')
  return {
    mode: tlsMode,
    ...(trustStorePath === null ? {} : { ca: await readPem(trustStorePath, 'database.ssl.truststore') }),
    ...(store === null ? {} : { cert: store, key: store }),
    ...(keyStorePassword === null ? {} : { passphrase: keyStorePassword }),
  }
}

/** Debezium reads Java key stores, a format of Java only; PEM has the same contents. */
async function readPem(path: string, property: string): Promise<string> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw connectorErrors.KEYSTORE_UNREADABLE({ path, property, reason }, error)
  }
  if (!text.includes('-----BEGIN')) throw connectorErrors.KEYSTORE_FORM({ path, property })
  return text
}
