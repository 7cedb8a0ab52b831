import type { StructTemplate, TemplateStruct } from '@tributary/connect-api'
import { ByteWriter } from '@tributary/support'
import type { PayloadWriter } from './value-site.ts'

/** Writes the fields of structs that have a template: what they share is written once, as long as the template is the same. */
export class TemplateWriter {
  readonly #writers: readonly PayloadWriter[]
  #template: StructTemplate | null = null
  readonly #shared = new ByteWriter(512)
  /** Where the shared bytes before each varying field end. */
  #ends: readonly number[] = []

  /** `writers`: one per field. */
  constructor(writers: readonly PayloadWriter[]) {
    this.#writers = writers
  }

  write({ template, own }: TemplateStruct, out: ByteWriter): void {
    if (template !== this.#template) this.#render(template)
    const shared = this.#shared
    const ends = this.#ends
    const { varying } = template
    let start = 0
    for (let i = 0; i < varying.length; i++) {
      const end = ends[i] as number
      out.copyFrom(shared, start, end)
      ;(this.#writers[varying[i] as number] as PayloadWriter)(own[i] ?? null, out)
      start = end
    }
    out.copyFrom(shared, start, shared.position)
  }

  #render(template: StructTemplate): void {
    const { values, varying } = template
    const shared = this.#shared
    this.#template = null
    shared.reset()
    const ends: number[] = []
    for (const [i, write] of this.#writers.entries()) {
      if (varying[ends.length] === i) ends.push(shared.position)
      else write(values[i] ?? null, shared)
    }
    this.#ends = ends
    this.#template = template
  }
}
