import type { ComponentChildren, VNode } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { Failure } from './messages.tsx'

/** Shows an error of the view inside, so that the navigation around it and the other views keep working. */
export function Boundary({ children }: { readonly children: ComponentChildren }): VNode {
  const [thrown, retry] = useErrorBoundary((error: unknown) => reportError(error)) as [Error | undefined, () => void]
  if (thrown === undefined) return <>{children}</>
  const reason = new Error(
    `${thrown.message}. Try again, or load the page again; the other views still work. If it remains, report it with this message.`,
  )
  return (
    <>
      <h1>This view cannot be shown</h1>
      <Failure title="The page has an error" error={reason} onRetry={retry} />
    </>
  )
}
