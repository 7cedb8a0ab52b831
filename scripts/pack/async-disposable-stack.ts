/**
 * AsyncDisposableStack for Node 22, which lacks it. The bundler replaces the global by this module, which exports
 * Node's own class where there is one. Has only the methods that Tributary uses: `use`, `defer`, `move`,
 * `disposeAsync`.
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

  /** Disposes of all resources, the last one first. Continues after errors, and throws the first one at the end. */
  async disposeAsync(): Promise<void> {
    const failures: unknown[] = []
    for (let dispose = this.#disposals.pop(); dispose !== undefined; dispose = this.#disposals.pop()) {
      try {
        // One after the other, because a resource may need those added before it.
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
