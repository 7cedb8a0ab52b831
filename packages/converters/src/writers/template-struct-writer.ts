import type { ConnectValue, StructTemplate, TemplateStruct } from '@tributary/connect-api'
import { ByteWriter, present } from '@tributary/support'
import type { ValueWriter } from './value-writer.ts'

/**
 * Writes template structs. The fields that all structs of a template share are written once, into a rendering of the
 * template, and copied from there for each struct. The writer keeps the renderings of the last few templates.
 *
 * Hot path: `varying` contains field indexes, and `#writers` and `ends` have one entry per field, so that all indexes
 * are in range.
 */
export class TemplateStructWriter {
  readonly #writers: readonly ValueWriter[]
  /** The last renderings made, in no order. */
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
      rendering = this.#allocate()
      rendering.render(template, this.#writers, this.#last === rendering ? null : this.#last)
    }
    this.#last = rendering
    return rendering
  }

  /** Returns a new rendering until the limit is reached, then the one that was filled the longest time ago. */
  #allocate(): Rendering {
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

/** The encoded fields that all structs of one template share. */
class Rendering {
  /** Null while the bytes are incomplete. */
  template: StructTemplate | null = null
  readonly shared: ByteWriter = new ByteWriter(CAPACITY)
  /** Where the bytes of each field end in `shared`. Varying fields have no bytes there. */
  readonly ends: Int32Array

  constructor(fieldCount: number) {
    this.ends = new Int32Array(fieldCount)
  }

  /**
   * Encodes the shared fields of a template. Copies the bytes of values that the rendering `before` has as well: the
   * source blocks of two transactions differ only in GTID, time and table.
   */
  render(template: StructTemplate, writers: readonly ValueWriter[], before: Rendering | null): void {
    const { shared, ends } = this
    const { values, varying } = template
    const known = before?.template?.varying === varying ? before : null
    // Set again at the end. A value that cannot be written leaves it null.
    this.template = null
    shared.reset()
    let nextVarying = 0
    for (let field = 0; field < ends.length; field++) {
      if (varying[nextVarying] === field) nextVarying += 1
      else if (known?.hasSameValue(field, values)) known.copyField(field, shared)
      else (writers[field] as ValueWriter)(values[field] ?? null, shared)
      ends[field] = shared.position
    }
    this.template = template
  }

  /** True when the field has the identical value in this template. */
  hasSameValue(field: number, values: readonly ConnectValue[]): boolean {
    return Object.is(this.template?.values[field], values[field])
  }

  copyField(field: number, out: ByteWriter): void {
    out.copyFrom(this.shared, field === 0 ? 0 : (this.ends[field - 1] as number), this.ends[field] as number)
  }
}

/** One table alternates between templates for create, update and delete. */
const RENDERINGS_MAX = 4
const CAPACITY = 128
