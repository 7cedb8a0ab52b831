import type { MySqlConnectionOptions, MySqlTlsOptions } from '@tributary/mysql'
import { type Logger, readStoreFile } from '@tributary/support'
import type { ConnectionConfig, ConnectorConfig } from './config/connector-config.ts'
import { connectorErrors } from './errors.ts'

type Connecting = ConnectionConfig & Pick<ConnectorConfig, 'allowsPublicKeyRetrieval'>

/** Options of the connector's connections; reads the files that its configuration names. */
export async function connectionOptions(config: Connecting, logger: Logger): Promise<MySqlConnectionOptions> {
  const { host, port, user, password, connectTimeoutMs, allowsPublicKeyRetrieval } = config
  const tls = tlsOptions(config)
  return { host, port, user, password, connectTimeoutMs, allowsPublicKeyRetrieval, tls, logger }
}

function tlsOptions(config: Connecting): MySqlTlsOptions {
  const { tlsMode, trustStorePath, keyStorePath, keyStorePassword } = config
  const store = keyStorePath === null ? null : readPem(keyStorePath, 'database.ssl.keystore')
  return {
    mode: tlsMode,
    ...(trustStorePath === null ? {} : { ca: readPem(trustStorePath, 'database.ssl.truststore') }),
    ...(store === null ? {} : { cert: store, key: store }),
    ...(keyStorePassword === null ? {} : { passphrase: keyStorePassword }),
  }
}

/** Debezium reads Java key stores, a format of Java only; PEM has the same contents. */
function readPem(path: string, property: string): string {
  let text: string
  try {
    text = readStoreFile(path).toString()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw connectorErrors.KEYSTORE_UNREADABLE({ path, property, reason }, error)
  }
  if (!text.includes('-----BEGIN')) throw connectorErrors.KEYSTORE_FORM({ path, property })
  return text
}
