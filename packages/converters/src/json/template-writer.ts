import type { StructTemplate, TemplateStruct } from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'
import type { PayloadWriter } from './value-site.ts'

/** What the structs of one template share, written. */
interface Rendering {
  /** Null: what is written belongs to none. */
  readonly template: StructTemplate | null
  readonly shared: ByteWriter
  /** Where the shared bytes before each varying field end. */
  readonly ends: readonly number[]
}

/** Writes the fields of structs that have a template: what they share is written once, as long as templates come again. */
export class TemplateWriter {
  readonly #writers: readonly PayloadWriter[]
  /** Those that came last, in no order. */
  readonly #renderings: Rendering[] = []
  #last: Rendering | null = null
  #nextReplaced = 0

  /** `writers`: one per field. */
  constructor(writers: readonly PayloadWriter[]) {
    this.#writers = writers
  }

  write({ template, own }: TemplateStruct, out: ByteWriter): void {
    const last = this.#last
    const { shared, ends } = last !== null && last.template === template ? last : this.#find(template)
    const { varying } = template
    let start = 0
    for (let i = 0; i < varying.length; i++) {
      const end = ends[i] as number
      if (end > start) {
        out.marks.add(out.position)
        out.copyFrom(shared, start, end)
      }
      ;(this.#writers[varying[i] as number] as PayloadWriter)(own[i] ?? null, out)
      start = end
    }
    out.marks.add(out.position)
    out.copyFrom(shared, start, shared.position)
  }

  #find(template: StructTemplate): Rendering {
    this.#last = this.#renderings.find((rendering) => rendering.template === template) ?? this.#render(template)
    return this.#last
  }

  #render(template: StructTemplate): Rendering {
    const { values, varying } = template
    const shared = this.#takeWriter()
    const ends: number[] = []
    for (const [i, write] of this.#writers.entries()) {
      if (varying[ends.length] === i) ends.push(shared.position)
      else write(values[i] ?? null, shared)
    }
    const rendering = { template, shared, ends }
    if (this.#renderings.length < RENDERINGS_MAX) this.#renderings.push(rendering)
    else this.#renderings[this.#nextReplaced++ % RENDERINGS_MAX] = rendering
    return rendering
  }

  /** That of the rendering which is about to be replaced; should writing fail, it stands for no template any more. */
  #takeWriter(): ByteWriter {
    if (this.#renderings.length < RENDERINGS_MAX) return new ByteWriter(CAPACITY)
    const at = this.#nextReplaced % RENDERINGS_MAX
    const { shared } = this.#renderings[at] as Rendering
    shared.reset()
    this.#renderings[at] = { template: null, shared, ends: [] }
    this.#last = null
    return shared
  }
}

/** The operations of one table take turns: create, update, delete. */
const RENDERINGS_MAX = 4
const CAPACITY = 128
