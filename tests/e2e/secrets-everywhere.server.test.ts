/**
 * Secrets of all kinds appear only where they belong; secrets-everywhere.full.test.ts does the same with secrets that
 * config providers resolve.
 */
import { test } from 'node:test'
import { checkSecrets } from './secrets/everywhere.ts'

test('secrets in clear are shown only where Connect shows them', () => checkSecrets('in clear'))
