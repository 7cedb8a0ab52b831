import type { PropertyReport } from '@tributary/runtime'
import { type Cell, textTable } from '../terminal/text-table.ts'
import type { Palette } from '../terminal/palette.ts'

/** One line per property: works as before, works differently, has no effect, or is refused; and why. */
export function renderEffects(properties: readonly PropertyReport[], palette: Palette): string {
  if (properties.length === 0) return ''
  const rows = properties.map(({ property, effect }): readonly Cell[] => {
    switch (effect.tag) {
      case 'as before':
        return [
          ['✔', palette.good],
          property,
          'works as before',
          effect.note === null ? '' : [effect.note, palette.aside],
        ]
      case 'differently':
        return [['✔', palette.good], property, ['works differently', palette.doubtful], effect.how]
      case 'no effect':
        return [['⚠', palette.doubtful], property, ['has no effect', palette.doubtful], effect.why]
      case 'refused':
        return [['✖', palette.bad], property, ['refused', palette.bad], effect.reasons.join(' ')]
    }
  })
  return `${textTable([' ', 'PROPERTY', 'HERE IT', 'WHY, OR HOW'], rows, palette)}\n`
}
