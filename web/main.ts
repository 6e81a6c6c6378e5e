import '@fontsource-variable/figtree/index.css'
import './ui/mantine.css'
import './ui/base.css'
import { startKeeping } from './api/kept.ts'
import { watchNetwork } from './api/reachability.ts'
import { pages } from './pages.ts'
import { prefetchReads } from './prefetch.ts'
import { parseSearch } from './search.ts'
import { startUserRefresh } from './session/refresh-user.ts'
import { currentSession } from './session/session.ts'
import { mayOpen } from './session/roles.ts'
import { loadLanguage } from './texts.ts'
import { startWorker } from './worker.ts'

/**
 * The first chunk is small: it starts loading the page of the address, its first reads and the language while React,
 * the router and the components are loading. The router repeats exactly this and finds it done, so failures are ignored
 * here.
 */
function loadPage({ pathname, search }: Location) {
  const session = currentSession()
  const page = pages.find(({ path }) => new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}/?$`).test(pathname))
  // The landing page is part of the console's chunk.
  if (!page || (page.path === '/' && !session)) return
  page.load().catch(() => undefined)
  if (!session || !mayOpen(page, session.user)) return
  import('./ui/frame.tsx').catch(() => undefined)
  void prefetchReads(page.path, parseSearch(search))
}

watchNetwork()
startUserRefresh()
startWorker()
startKeeping()
loadPage(location)
void Promise.all([import('./console.tsx'), loadLanguage()]).then(([{ start }]) => start())
