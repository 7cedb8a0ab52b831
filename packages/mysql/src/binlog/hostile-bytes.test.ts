import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HostileInputs, outcomeOf } from '../testing/hostile/hostile-inputs.ts'
import { surfaces } from '../testing/hostile/surfaces.ts'

const INPUTS = 3000
const SEED = 22

for (const surface of new Set(surfaces)) {
  test(`${surface.name}: ${INPUTS} hostile inputs end in a value or in the error of their reader (seed ${SEED})`, () => {
    const inputs = new HostileInputs([surface], SEED)
    const counts = { read: 0, refused: 0 }
    for (let i = 0; i < INPUTS; i++) {
      const input = inputs.at(i)
      const outcome = outcomeOf(input)
      if (outcome.tag === 'defect')
        assert.fail(`input ${i}: ${outcome.error}\n${input.bytes.toString('hex').slice(0, 2000)}`)
      counts[outcome.tag] += 1
    }
    // A surface that reads everything, or nothing, would test nothing.
    assert.ok(counts.refused > INPUTS / 100, JSON.stringify(counts))
  })
}
