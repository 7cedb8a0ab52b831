/**
 * Batches requests about single items: items that callers add while a request is in flight go into the next one. One
 * request is in flight at a time, so a single item causes no delay.
 */
export class RequestBatcher<Item, Answer> {
  readonly #send: (items: readonly Item[]) => Promise<Answer>
  #next: { readonly items: Set<Item>; readonly answer: Promise<Answer> } | null = null
  #last: Promise<unknown> = Promise.resolve()

  /** `send` makes one request for all the items. */
  constructor(send: (items: readonly Item[]) => Promise<Answer>) {
    this.#send = send
  }

  /** Resolves with the response to the request that contains the item; an error concerns all items of the request. */
  request(item: Item): Promise<Answer> {
    this.#next ??= this.#openBatch()
    this.#next.items.add(item)
    return this.#next.answer
  }

  #openBatch(): { readonly items: Set<Item>; readonly answer: Promise<Answer> } {
    const items = new Set<Item>()
    const answer = this.#last.then(() => {
      this.#next = null
      return this.#send([...items])
    })
    this.#last = answer.catch(() => undefined)
    return { items, answer }
  }
}
