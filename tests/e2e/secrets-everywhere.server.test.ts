/** Secrets of all kinds, in clear text and by a config provider, appear only where they belong. */
import { test } from 'node:test'
import { checkSecrets } from './secrets/everywhere.ts'

test('secrets in clear are shown only where Connect shows them', () => checkSecrets('in clear'))

test('secrets by the provider file are not shown', () => checkSecrets('file'))
