import type { TableId } from '@tributary/connector-kit'
import type { Clock } from '@tributary/support'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { DefinitionPlace } from './definition-finder.ts'
import { comparePlaces, type LogPlace } from './log-place.ts'

/** `final`: rows under their table number need no comparison. `postponed`: they are compared later. */
export type DefinitionAnswer = 'final' | 'postponed'

/** Up to that place of a server, rows of that definition need no comparison. */
interface CheckedPart {
  readonly identity: string
  readonly known: MySqlTable
  readonly until: LogPlace
  readonly answer: DefinitionAnswer
}

/** Remembers which rows need no comparison of definitions, or none yet. It never waits. */
export class DefinitionAnswers {
  readonly #clock: Clock
  readonly #parts = new Map<TableId, CheckedPart>()
  /** When the server may be asked again; null: about any table. */
  readonly #pauses = new Map<TableId | null, { readonly untilMs: number; readonly answer: DefinitionAnswer }>()
  /** The first rows of each table that were read without the comparison that they needed. */
  readonly #postponed = new Map<TableId, LogPlace>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * The answer for rows; null: a comparison is needed.
   *
   * @param known the definition in the model
   */
  of(place: DefinitionPlace, known: MySqlTable): DefinitionAnswer | null {
    const { id } = known
    const answer = this.#ofPart(place, known) ?? this.#ofPause(null) ?? this.#ofPause(id)
    if (answer === 'postponed') this.notePostponed(id, place.after)
    return answer
  }

  #ofPart({ identity, after }: DefinitionPlace, known: MySqlTable): DefinitionAnswer | null {
    const part = this.#parts.get(known.id)
    if (part === undefined || part.known !== known) return null
    if (identity !== null && part.identity !== identity) return null
    return comparePlaces(after, part.until) > 0 ? null : part.answer
  }

  #ofPause(id: TableId | null): DefinitionAnswer | null {
    const pause = this.#pauses.get(id)
    if (pause === undefined) return null
    if (this.#clock.monotonicMs() < pause.untilMs) return pause.answer
    this.#pauses.delete(id)
    return null
  }

  /** All rows of that definition up to `until` have this answer. */
  set(known: MySqlTable, part: Omit<CheckedPart, 'known'>): void {
    this.#parts.set(known.id, { ...part, known })
    if (part.answer === 'final') this.#postponed.delete(known.id)
  }

  /** For so long the server is not asked about the table; null: about any. */
  pause(id: TableId | null, ms: number, answer: DefinitionAnswer): void {
    this.#pauses.set(id, { untilMs: this.#clock.monotonicMs() + ms, answer })
  }

  notePostponed(id: TableId, place: LogPlace): void {
    if (!this.#postponed.has(id)) this.#postponed.set(id, place)
  }

  /** The first rows whose comparison was postponed, since it found no change the last time; then none are. */
  takePostponed(id: TableId): LogPlace | null {
    const place = this.#postponed.get(id) ?? null
    this.#postponed.delete(id)
    return place
  }

  /** A new connection reads rows again: places say nothing about rows under numbers of another one. */
  forgetPlaces(): void {
    this.#parts.clear()
  }
}
