import { testHistories } from './fixed-histories.ts'

testHistories({ histories: 12, right: 60, isChosen: () => true })
