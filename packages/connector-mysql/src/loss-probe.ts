import { ConfigDef, type ConfigMap, type LossProbe, type ProbeContext } from '@tributary/connect-api'
import { debeziumMessages } from '@tributary/connector-kit'
import { allowsPublicKeyRetrieval, connectionConfig } from './config/connector-config.ts'
import { connectorKeys } from './config/connector-keys.ts'
import { spoolFolder } from './config/spool-folder.ts'
import { currentConfig } from './config/current-config.ts'
import { connectionOptions } from './connection-options.ts'
import type { ConnectorKind } from './connector-kind.ts'
import { BinlogLossProbe } from './loss/binlog-loss-probe.ts'

/**
 * The properties that a probe needs. It reads no others: the lists of tables and columns of a configuration may be long,
 * and a probe runs on the main thread.
 */
const PROBED =
  /^(topic\.prefix|database\.(hostname|port|user|password|server\.id|ssl\..*|initial\.statements)|connect\..*|binlog\.loss\..*|binlog\.spool\.dir)$/

/** @throws ConfigError when one of these properties is invalid */
export function createLossProbe(kind: ConnectorKind, given: ConfigMap, { clock, logger }: ProbeContext): LossProbe {
  const { config } = currentConfig(kind.sslModes, given)
  const keys = connectorKeys(kind).filter(({ name }) => PROBED.test(name))
  const values = new ConfigDef(keys, debeziumMessages).parse(config)
  const spool = values.optionalString('binlog.spool.dir') ?? ''
  const connector = config['name'] ?? ''
  const connecting = { ...connectionConfig(values), allowsPublicKeyRetrieval: allowsPublicKeyRetrieval(config) }
  return new BinlogLossProbe({
    connector,
    spoolFolder: spool === '' ? null : spoolFolder(spool, connector),
    partition: { server: values.string('topic.prefix') },
    connection: () => connectionOptions(connecting, logger),
    clock,
    intervalMs: values.integer('binlog.loss.check.interval.ms'),
    warningSeconds: values.list('binlog.loss.warning.seconds').map(Number),
  })
}
