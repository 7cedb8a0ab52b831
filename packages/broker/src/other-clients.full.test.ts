import { join } from 'node:path'
import { test } from 'node:test'
import { assertSameOnBoth, CLIENTS_FOLDER, programLines } from './testing/client-work.ts'
import { kafkajsWork } from './testing/kafkajs-work.ts'
import { kcatWork } from './testing/kcat-work.ts'

// Each client does the same work on Kafka and on the broker, and must observe the same.

test('kafkajs administers, produces, reads in groups and uses transactions as with Kafka', async () => {
  await assertSameOnBoth(kafkajsWork)
})

test('kcat (librdkafka) lists, produces, queries and reads in a group as with Kafka', async () => {
  await assertSameOnBoth(kcatWork)
})

test('franz-go administers, produces, reads in groups and copies in transactions as with Kafka', async () => {
  await assertSameOnBoth((server, prefix) =>
    programLines('go', ['run', '.', server, prefix], join(CLIENTS_FOLDER, 'go')),
  )
})
