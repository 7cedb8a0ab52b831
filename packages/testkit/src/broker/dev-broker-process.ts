/** The program of `startDevBroker`: `node dev-broker-process.ts PORT FOLDER`. */
import { startBroker } from '@tributary/broker'

const [, , port = '', path = ''] = process.argv
// As the test brokers of Kafka (broker-properties.ts): tests write records with timestamps of any year.
await startBroker({ port: Number(port), storage: { tag: 'folder', path }, retentionMs: Infinity })
