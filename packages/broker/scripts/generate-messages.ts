/**
 * Writes src/protocol/messages.table.ts from the message schemas in Kafka's client jar.
 *
 *     npm run --silent exec -- packages/broker/scripts/generate-messages.ts && npm run format
 *
 * Needs `unzip`. The testkit fetches the jar.
 */
import { writeFileSync } from 'node:fs'
import { messagesModule } from '../src/testing/messages-module.ts'

writeFileSync(new URL('../src/protocol/messages.table.ts', import.meta.url), await messagesModule())
