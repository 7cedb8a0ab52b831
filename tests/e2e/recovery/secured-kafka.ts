import { type KafkaServer, runKafkaTool, startKafka } from '@tributary/testkit'
import assert from 'node:assert/strict'

/** The account of the worker and its connectors; everybody else may do everything. */
export const ACCOUNT = 'tributary'
const PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required'

/** A broker with access control lists. Clients of the listener LOGIN have an account, those of the others have not. */
export function startSecuredKafka(): Promise<KafkaServer> {
  return startKafka({
    extraListeners: { LOGIN: 'SASL_PLAINTEXT' },
    config: {
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS',
      'sasl.enabled.mechanisms': 'PLAIN',
      'listener.name.login.plain.sasl.jaas.config': `${PLAIN} user_${ACCOUNT}="secret";`,
    },
  })
}

/** The environment of a worker that logs in. */
export const loginEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    SECURITY_PROTOCOL: 'SASL_PLAINTEXT',
    SASL_MECHANISM: 'PLAIN',
    SASL_JAAS_CONFIG: `${PLAIN} username="${ACCOUNT}" password="secret";`,
  }).flatMap(([name, value]) => ['', 'PRODUCER_', 'ADMIN_'].map((kind) => [`CONNECT_${kind}${name}`, value])),
)

/** Changes access control lists with Kafka's own tool. */
export async function changeAccess(kafka: KafkaServer, args: readonly string[]): Promise<void> {
  await tool(kafka, 'org.apache.kafka.tools.AclCommand', args)
}

/** Everything that a worker with its connectors needs, and more. */
export function allowAll(kafka: KafkaServer): Promise<void> {
  const principal = ['--allow-principal', `User:${ACCOUNT}`, '--operation', 'All']
  return changeAccess(kafka, ['--add', ...principal, '--topic', '*', '--group', '*', '--cluster'])
}

/** Changes settings with Kafka's own tool. */
export function changeSettings(kafka: KafkaServer, args: readonly string[]): Promise<void> {
  return tool(kafka, 'kafka.admin.ConfigCommand', ['--alter', ...args])
}

async function tool(kafka: KafkaServer, mainClass: string, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runKafkaTool(mainClass, [
    '--bootstrap-server',
    kafka.internalServers.join(','),
    ...args,
  ])
  assert.equal(code, 0, stdout + stderr)
}
