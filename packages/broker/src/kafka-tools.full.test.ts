import { test } from 'node:test'
import { assertSameOnBoth } from './testing/client-work.ts'
import { CURRENT_TOOLS, OLD_TOOLS, toolsWork } from './testing/tools-work.ts'

for (const tools of [CURRENT_TOOLS, OLD_TOOLS]) {
  const name = tools.version ?? '4.3'
  test(`the command line tools of ${name} have the same outputs as with Kafka`, async () => {
    await assertSameOnBoth(toolsWork(tools))
  })
}
