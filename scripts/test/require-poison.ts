/**
 * Loaded with each test file, in its process and in its threads: no test runs without poison. So the number of tests in
 * the runner's summary is that of the tests with poison.
 */
import { isPoisonOn } from '@tributary/support'

// Not in the runner, which also loads this file.
if (process.env['NODE_TEST_CONTEXT'] !== undefined && !isPoisonOn) {
  throw new Error('TRIBUTARY_POISON is not 1: run the tests with `npm test`, which sets it')
}
