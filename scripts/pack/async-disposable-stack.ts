/**
 * AsyncDisposableStack for Node 22, which has none; the bundler puts it in the place of the global. Node 24 keeps its own.
 * It is the part that this program uses: `use`, `defer`, `move`, `disposeAsync`.
 */
export class Stack implements AsyncDisposable {
  #disposals: (() => unknown)[] = []

  use<T extends AsyncDisposable | Disposable | null | undefined>(value: T): T {
    if (value === null || value === undefined) return value
    if (Symbol.asyncDispose in value) this.defer(() => value[Symbol.asyncDispose]())
    else this.defer(() => value[Symbol.dispose]())
    return value
  }

  defer(dispose: () => unknown): void {
    this.#disposals.push(dispose)
  }

  move(): Stack {
    const moved = new Stack()
    moved.#disposals = this.#disposals
    this.#disposals = []
    return moved
  }

  /** All are disposed of, the last one first, whatever one of them throws; the first error is thrown in the end. */
  async disposeAsync(): Promise<void> {
    const failures: unknown[] = []
    for (let dispose = this.#disposals.pop(); dispose !== undefined; dispose = this.#disposals.pop()) {
      try {
        // In order, one after the other: a later one may need an earlier one.
        await dispose()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync()
  }
}

const known: { readonly AsyncDisposableStack?: unknown } = globalThis
const StackOfThisNode = (known.AsyncDisposableStack ?? Stack) as typeof Stack

export { StackOfThisNode as AsyncDisposableStack }
