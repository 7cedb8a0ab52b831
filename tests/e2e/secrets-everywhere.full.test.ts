/** As secrets-everywhere.server.test.ts, with config providers. */
import { test } from 'node:test'
import { checkSecrets } from './secrets/everywhere.ts'

for (const mode of ['file', 'directory', 'environment'] as const) {
  test(`secrets by the provider ${mode} are not shown`, () => checkSecrets(mode))
}
