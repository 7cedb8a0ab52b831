/** The settings that global-settings.server.test.ts leaves out. */
import { testGlobalSettings } from '../testing/global-settings.ts'

testGlobalSettings((number) => number % 3 !== 0)
