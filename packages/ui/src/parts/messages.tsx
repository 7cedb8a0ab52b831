import type { ComponentChildren, VNode } from 'preact'

export interface EmptyProps {
  readonly title: string
  /** Whether it is all of a view: then its title is the heading. Default: false. */
  readonly isView?: boolean
  readonly children?: ComponentChildren
}

/** A view or a part of it that has no content. */
export function Empty({ title, isView = false, children }: EmptyProps): VNode {
  return (
    <div class="empty">
      {isView ? <h1 class="empty-title">{title}</h1> : <p class="empty-title">{title}</p>}
      {children}
    </div>
  )
}

export function Loading({ what }: { readonly what: string }): VNode {
  return (
    <div class="empty" role="status">
      <span class="spinner" aria-hidden="true" />
      <p>Loading {what}…</p>
    </div>
  )
}

export function Failure({
  title,
  error,
  onRetry,
}: {
  readonly title: string
  readonly error: Error
  readonly onRetry?: () => void
}): VNode {
  return (
    <div class="notice bad" role="alert">
      <p class="notice-title">{title}</p>
      <p class="prose">{error.message}</p>
      {onRetry === undefined ? null : (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}
