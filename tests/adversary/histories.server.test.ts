import { PARTIAL, testHistories } from './fixed-histories.ts'

const CHOSEN = { mysql: ['FULL', PARTIAL.title], mariadb: ['NO_LOG', 'MINIMAL', 'mixed'] }

// histories.full.test.ts has all settings, and more histories of them.
testHistories({ histories: 2, right: 10, isChosen: (flavor, title) => CHOSEN[flavor].includes(title) })
