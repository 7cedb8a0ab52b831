/** What an event does in a state; null when the state ignores the event. */
export type Cell<S extends string, A extends string> = { readonly next: S; readonly actions: readonly A[] } | null

/** A lifecycle as data: a cell for each state and event, so that the compiler misses none. */
export type StateTable<S extends string, E extends string, A extends string> = Readonly<
  Record<S, Readonly<Record<E, Cell<S, A>>>>
>

/** Makes the cells of one table: `to('running', 'report RUNNING')`. */
export function cellsOf<S extends string, A extends string>(): (next: S, ...actions: A[]) => Cell<S, A> {
  return (next, ...actions) => ({ next, actions })
}
