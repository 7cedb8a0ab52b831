import { fileURLToPath } from 'node:url'
import { sharedAddress } from './shared-addresses.ts'

/** The testkit must not import the cli; it runs its entry file. */
export const SOURCE_ENTRY: string = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url))

let entry: Promise<string> | undefined

/**
 * The entry file of Tributary for `node`: bundled as for the release, once for all test files, or, without a test runner,
 * that of the sources.
 */
export function useProgram(): Promise<string> {
  return (entry ??= sharedAddress('program').then((program) => program?.entry ?? SOURCE_ENTRY))
}
