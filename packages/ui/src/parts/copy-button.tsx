import type { VNode } from 'preact'
import { useState } from 'preact/hooks'

/** Copies a text. Without access to the clipboard (plain HTTP) it selects nothing and says so. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): VNode {
  const [result, setResult] = useState<'copied' | 'failed' | null>(null)
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setResult('copied')
    } catch {
      setResult('failed')
    }
  }
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      {result === 'copied' ? 'Copied' : result === 'failed' ? 'Select and copy it' : 'Copy'}
      <span class="hidden"> {what}</span>
    </button>
  )
}
