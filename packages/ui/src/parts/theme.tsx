import type { VNode } from 'preact'
import { useState } from 'preact/hooks'

type Theme = 'system' | 'light' | 'dark'
const THEMES: readonly Theme[] = ['system', 'light', 'dark']
const KEY = 'tributary.theme'

function storedTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

/** Sets the colours that the visitor has chosen, or those of the system. */
export function applyTheme(theme: Theme = storedTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  dispatchEvent(new Event('themechange'))
}

export function ThemeChoice(): VNode {
  const [theme, setTheme] = useState(storedTheme)
  return (
    <label class="theme">
      <span class="hidden">Colours</span>
      <select
        value={theme}
        onChange={({ currentTarget }) => {
          const chosen = THEMES.find((each) => each === currentTarget.value) ?? 'system'
          localStorage.setItem(KEY, chosen)
          setTheme(chosen)
          applyTheme(chosen)
        }}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  )
}
