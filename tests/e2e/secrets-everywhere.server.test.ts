/** Secrets of all kinds, in clear and by a config provider, are seen by whom they are for and by nobody else. */
import { test } from 'node:test'
import { checkSecrets } from './secrets/everywhere.ts'

test('secrets in clear are shown only where Connect shows them', () => checkSecrets('in clear'))

test('secrets by the provider file are not shown', () => checkSecrets('file'))
