import { render } from 'preact'
import 'uplot/dist/uPlot.min.css'
import './page.css'
import './views.css'
import { LiveStore } from './api/live-store.ts'
import { LiveContext } from './api/use-live.ts'
import { applyTheme } from './parts/theme.tsx'
import { Shell } from './views/shell.tsx'

applyTheme()
const store = new LiveStore()
store.connect()
const root = document.querySelector('#page')
if (root !== null) {
  render(
    <LiveContext.Provider value={store}>
      <Shell />
    </LiveContext.Provider>,
    root,
  )
}
