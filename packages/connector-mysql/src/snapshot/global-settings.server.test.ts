/** Every third setting; global-settings.full.test.ts has the others. */
import { testGlobalSettings } from '../testing/global-settings.ts'

testGlobalSettings((number) => number % 3 === 0)
