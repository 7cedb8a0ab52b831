import type { ConnectValue, StructTemplate, TemplateStruct } from '@tributary/connect-api'
import { ByteWriter, present } from '@tributary/support'
import type { ValueWriter } from './value-writer.ts'

/** Writes the fields of structs that have a template: what they share is written once, as long as templates come again. */
export class TemplateStructWriter {
  readonly #writers: readonly ValueWriter[]
  /** Those that came last, in no order. */
  readonly #renderings: Rendering[] = []
  #last: Rendering | null = null
  #nextReplaced = 0

  /** `writers`: one per field. */
  constructor(writers: readonly ValueWriter[]) {
    this.#writers = writers
  }

  write({ template, own }: TemplateStruct, out: ByteWriter): void {
    const last = this.#last
    const { shared, ends } = last !== null && last.template === template ? last : this.#find(template)
    const { varying } = template
    let start = 0
    for (let i = 0; i < varying.length; i++) {
      const field = varying[i] as number
      const end = ends[field] as number
      if (end > start) out.copyFrom(shared, start, end)
      ;(this.#writers[field] as ValueWriter)(own[i] ?? null, out)
      start = end
    }
    out.copyFrom(shared, start, shared.position)
  }

  #find(template: StructTemplate): Rendering {
    let rendering = this.#renderings.find((each) => each.template === template)
    if (rendering === undefined) {
      rendering = this.#take()
      rendering.render(template, this.#writers, this.#last === rendering ? null : this.#last)
    }
    this.#last = rendering
    return rendering
  }

  /** A new one as long as there are few, else the one that was made or replaced the longest time ago. */
  #take(): Rendering {
    if (this.#renderings.length < RENDERINGS_MAX) {
      const added = new Rendering(this.#writers.length)
      this.#renderings.push(added)
      return added
    }
    const at = this.#nextReplaced
    this.#nextReplaced = (at + 1) % RENDERINGS_MAX
    return present(this.#renderings[at], 'a rendering')
  }
}

/** What the structs of one template share, written. */
class Rendering {
  /** Null: what is written belongs to none. */
  template: StructTemplate | null = null
  readonly shared: ByteWriter = new ByteWriter(CAPACITY)
  /** Where the shared bytes of each field end. Varying fields have none. */
  readonly ends: Int32Array

  constructor(fieldCount: number) {
    this.ends = new Int32Array(fieldCount)
  }

  /**
   * `before`: another one. The sources of two transactions differ in GTID, time and table: the bytes of what is the same in
   * both are taken from there.
   */
  render(template: StructTemplate, writers: readonly ValueWriter[], before: Rendering | null): void {
    const { shared, ends } = this
    const { values, varying } = template
    const known = before?.template?.varying === varying ? before : null
    // Until all is written; for good when a value cannot be.
    this.template = null
    shared.reset()
    let nextVarying = 0
    for (let field = 0; field < ends.length; field++) {
      if (varying[nextVarying] === field) nextVarying += 1
      else if (known?.holds(field, values)) known.copyField(field, shared)
      else (writers[field] as ValueWriter)(values[field] ?? null, shared)
      ends[field] = shared.position
    }
    this.template = template
  }

  /** Its value of that field is the same one. */
  holds(field: number, values: readonly ConnectValue[]): boolean {
    return Object.is(this.template?.values[field], values[field])
  }

  copyField(field: number, out: ByteWriter): void {
    out.copyFrom(this.shared, field === 0 ? 0 : (this.ends[field - 1] as number), this.ends[field] as number)
  }
}

/** The operations of one table take turns: create, update, delete. */
const RENDERINGS_MAX = 4
const CAPACITY = 128
