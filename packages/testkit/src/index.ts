/**
 * Throw-away MySQL, MariaDB and Kafka servers and other doubles, for tests, demo and bench.
 *
 *     await using kafka = await startKafka()
 *     await using mysql = await startMySql({ rowMetadata: 'FULL' })
 *     await mysql.query('CREATE DATABASE inventory')
 *     await using proxy = await startFaultProxy({ target: mysql })
 *     proxy.cut()
 *
 * A test that needs no server of its own uses a shared one: `const mysql = await useMySql()`.
 * The first use of a server downloads it into `$TRIBUTARY_CACHE` (default `~/.cache/tributary`).
 */
export { startDevBroker } from './broker/start-dev-broker.ts'
export type { DevBrokerOptions, DevBrokerServer } from './broker/start-dev-broker.ts'
export { chromiumProgram } from './browser/chromium.ts'
export type { DatabaseAccount, DatabaseUser } from './database/database-client.ts'
export { databaseAccounts } from './database/database-client.ts'
export type { Command, Flavor } from './database/database-programs.ts'
export type { Database, DatabaseConnection, DatabaseServer } from './database/database-server.ts'
export type { Row } from './database/kept-connection.ts'
export { mariadbPluginFolder, mariadbTestPluginFolder } from './database/mariadb-plugins.ts'
export { startMariaDb, startMySql } from './database/start-database.ts'
export type { StartMariaDbOptions, StartMySqlOptions } from './database/start-database.ts'
export { captureLogger } from './doubles/capture-logger.ts'
export type { CapturedLine, CaptureLogger } from './doubles/capture-logger.ts'
export { fakeClock } from './doubles/fake-clock.ts'
export type { FakeClock } from './doubles/fake-clock.ts'
export { seededRandom } from './doubles/seeded-random.ts'
export type { SeededRandom } from './doubles/seeded-random.ts'
export { testkitErrors } from './errors.ts'
export type { KafkaBroker } from './kafka/kafka-broker.ts'
export { kafkaClassPath, kafkaVersion } from './kafka/kafka-jars.ts'
export { runKafkaTool } from './kafka/run-java.ts'
export type { KafkaLogLevel } from './kafka/run-java.ts'
export { startKafka } from './kafka/start-kafka.ts'
export type { KafkaServer, StartKafkaOptions } from './kafka/start-kafka.ts'
export { startFaultProxy } from './network/fault-proxy.ts'
export type { Direction, FaultProxy, FaultProxyOptions } from './network/fault-proxy.ts'
export { freePort } from './network/free-port.ts'
export { ownAddress } from './network/own-address.ts'
export { eventually } from './process/eventually.ts'
export type { EventuallyOptions } from './process/eventually.ts'
export { runProgram } from './process/run-program.ts'
export { ServerProcess } from './process/server-process.ts'
export type { ServerProcessOptions } from './process/server-process.ts'
export type { ProgramResult, RunOptions } from './process/run-program.ts'
export {
  doubleOfBits,
  encodedText,
  floatOfBits,
  latin1Text,
  plainText,
  readSchema,
  readValue,
  utf16Text,
} from './notation/read-notation.ts'
export type { SchemaNotation, TextReader, ValueNotation } from './notation/read-notation.ts'
export { writeSchema, writeValue } from './notation/write-notation.ts'
export { javaProgram } from './provision/java.ts'
export { unpackedDebian } from './provision/unpacked-debian.ts'
export type { UnpackedDebianOptions } from './provision/unpacked-debian.ts'
export { nodeRelease } from './provision/node-release.ts'
export { installedPackage } from './provision/npm-package.ts'
export { installedPythonPackage } from './provision/python-package.ts'
export { apicurioVersion, avroConverterClassPath, avroConverterPluginPath } from './registry/registry-files.ts'
export { PrometheusServer, startPrometheus } from './prometheus/start-prometheus.ts'
export type { PrometheusOptions, PrometheusSample } from './prometheus/start-prometheus.ts'
export { promtool } from './prometheus/prometheus-programs.ts'
export { RegistryServer, startRegistry } from './registry/start-registry.ts'
export { Certificates, serverCertificates } from './tls/certificates.ts'
export type { CertificateFiles, CertificateRequest } from './tls/certificates.ts'
export { JavaTlsClient } from './tls/java-tls-client.ts'
export type { JavaTlsAttempt } from './tls/java-tls-client.ts'
export { loopbackHosts, TlsFront } from './tls/tls-front.ts'
export type { TlsFrontOptions } from './tls/tls-front.ts'
export { opensslAccepts } from './tls/tls-verdict.ts'
export type { TlsAttempt } from './tls/tls-verdict.ts'
export { SharedServers } from './shared/shared-servers.ts'
export type { SharedStarts } from './shared/shared-servers.ts'
export type { SharedKafkaAddress, SharedProgram } from './shared/shared-addresses.ts'
export { useProgram } from './shared/use-program.ts'
export { casesOfTier, tierEnvironment } from './shared/cases-of-tier.ts'
export { fullTest } from './shared/full-test.ts'
export { uniqueName } from './shared/unique-name.ts'
export {
  type OwnBroker,
  brokerEnvironment,
  startOwnBroker,
  useKafka,
  useMariaDb,
  useMySql,
  useRealKafka,
} from './shared/use-servers.ts'
export { temporaryFolder } from './process/temporary-folder.ts'
export type { TemporaryFolder } from './process/temporary-folder.ts'
export { connectFiles, debeziumVersion } from './connect/connect-jars.ts'
export type { ConnectFiles } from './connect/connect-jars.ts'
export { startConnect } from './connect/start-connect.ts'
export type { StartConnectOptions } from './connect/start-connect.ts'
export { connectorConfig } from './service/connector-config.ts'
export type { ConnectorConfigOptions } from './service/connector-config.ts'
export { idOf, kafkaClient, readTopic, waitForRecords } from './service/read-topic.ts'
export { Service, startService, storageTopics } from './service/service.ts'
export type { RestAnswer, ServiceMachine, StartServiceOptions } from './service/service.ts'
export { dumpBytes, dumpedEvents, eventOf, rotateTo, summed } from './fake-server/binlog-dump.ts'
export type { MadeEvent, ServedBinlog, ServedStart } from './fake-server/binlog-dump.ts'
export { conversationFile, recordedConversation } from './fake-server/conversation.ts'
export type { Conversation, RecordedBinlog } from './fake-server/conversation.ts'
export type { LoginScript, ServerKeys } from './fake-server/fake-login.ts'
export { FakeServer, startFakeServer } from './fake-server/fake-server.ts'
export type { FakeServerOptions } from './fake-server/fake-server.ts'
export { changed, cutAt, endless, instead, isAnswerTo, isReplicaDump } from './fake-server/fault.ts'
export type { Bent, Ending, Fault, Point } from './fake-server/fault.ts'
export { greetingPayload } from './fake-server/greeting.ts'
export type { Greeting } from './fake-server/greeting.ts'
export {
  columnDefinition,
  EOF,
  errorPayload,
  lengthEncoded,
  OK,
  packetHeader,
  packetOf,
  packetsOf,
  payloadsOf,
  resultPayloads,
} from './fake-server/packets.ts'
export { makeServerKeys } from './fake-server/server-keys.ts'
export type { FakeServerState } from './fake-server/server-state.ts'
export { scriptOf } from './fake-server/script.ts'
