import { test } from 'node:test'
import { assertSameOnBoth } from './testing/client-work.ts'
import { javaWork } from './testing/java-work.ts'
import { OLD_TOOLS } from './testing/tools-work.ts'

// The clients of Kafka 4.3 and 2.8 do the same work on Kafka and on the broker, and must observe the same.

for (const version of [undefined, OLD_TOOLS.version]) {
  const name = version ?? '4.3'
  test(`the Java clients of ${name} administer, produce, read in groups and use transactions as with Kafka`, async () => {
    await assertSameOnBoth(javaWork('ClientWork.java', version))
  })
}

test('the administration of 4.3 sees and ends transactions, producers and members as with Kafka', async () => {
  await assertSameOnBoth(javaWork('AdminWork.java'))
})
