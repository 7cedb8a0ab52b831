import type { RecordPrinter } from '@tributary/runtime'
import { renderEvent } from '../events/render-event.ts'
import type { Palette } from '../terminal/palette.ts'
import { viewEvent } from './event-view.ts'

/** The format for people. */
export function prettyPrinter(palette: Palette): RecordPrinter {
  return (record, out) => {
    const event = viewEvent(record)
    if (event !== null) out.write(Buffer.from(renderEvent(event, palette)))
  }
}
