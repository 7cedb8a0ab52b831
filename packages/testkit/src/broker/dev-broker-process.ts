/** The program of `startDevBroker`: `node dev-broker-process.ts PORT FOLDER ADVERTISED_PORT CREATES_TOPICS`. */
import { startBroker } from '@tributary/broker'

const [, , port = '', path = '', advertisedPort = port, createsTopics = 'true'] = process.argv
// As the test brokers of Kafka (broker-properties.ts): tests write records with timestamps of any year.
await startBroker({
  port: Number(port),
  advertisedPort: Number(advertisedPort),
  storage: { tag: 'folder', path },
  createsTopics: createsTopics === 'true',
  retentionMs: Infinity,
})
