import { testHistories } from './fixed-histories.ts'

// histories.full.test.ts has more of them.
testHistories({ histories: 4, right: 20 })
