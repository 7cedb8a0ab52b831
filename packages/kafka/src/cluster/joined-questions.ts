/**
 * Joins questions about single things into few requests: what is asked while a request is under way goes with the next one.
 * One request is made at a time, so a lone question costs what it would cost alone.
 */
export class JoinedQuestions<Item, Answer> {
  readonly #ask: (items: readonly Item[]) => Promise<Answer>
  #next: { readonly items: Set<Item>; readonly answer: Promise<Answer> } | null = null
  #last: Promise<unknown> = Promise.resolve()

  /** `ask` makes one request for all the items. */
  constructor(ask: (items: readonly Item[]) => Promise<Answer>) {
    this.#ask = ask
  }

  /** The answer of the request that the item is part of; it fails for all of them alike. */
  ask(item: Item): Promise<Answer> {
    this.#next ??= this.#begin()
    this.#next.items.add(item)
    return this.#next.answer
  }

  #begin(): { readonly items: Set<Item>; readonly answer: Promise<Answer> } {
    const items = new Set<Item>()
    const answer = this.#last.then(() => {
      this.#next = null
      return this.#ask([...items])
    })
    this.#last = answer.catch(() => undefined)
    return { items, answer }
  }
}
