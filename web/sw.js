// The service worker: shows the console without a network, and notifications. The build puts the files of the shell
// into `files`.
const files = ['%FILES%']
const cache_name = 'plaza %VERSION%'
const shell = '/'

/** Paths that are not pages of the console, and pages that need the service. */
const passed = /^\/(?:api|assets|docs|health|logos|oauth|sandbox|\.well-known)(?:\/|$)/

addEventListener('install', (event) => event.waitUntil(keepFiles()))

async function keepFiles() {
  const cache = await caches.open(cache_name)
  const response = await fetch(shell, { cache: 'no-store' })
  const html = await response.clone().text()
  const named = [...html.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, file]) => file)
  // During a deployment, another process may serve a page of another build: the browser retries later.
  if (!response.ok || !named.every((file) => files.includes(file))) throw new Error('the page is of another build')
  await cache.addAll(files)
  await cache.put(shell, response)
}

addEventListener('activate', (event) => event.waitUntil(deleteOtherCaches()))

async function deleteOtherCaches() {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => name !== cache_name).map((name) => caches.delete(name)))
}

addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate') {
    // The network first: after a deployment, nobody sees an old page.
    if (!passed.test(pathname)) event.respondWith(fetch(request).catch(() => kept(shell)))
  } else if (files.includes(pathname)) event.respondWith(kept(pathname).then((file) => file ?? fetch(request)))
})

const kept = (path) => caches.match(path, { cacheName: cache_name })

addEventListener('push', (event) => {
  const { title, body, link, tag } = event.data.json()
  event.waitUntil(
    registration.showNotification(title, {
      body,
      tag,
      renotify: true,
      icon: '/icon-192.png',
      badge: '/badge.png',
      data: { link },
    }),
  )
})

addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(show(event.notification.data.link))
})

/** Shows a page of the console, in its window if there is one. */
async function show(link) {
  const [window] = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (!window) return clients.openWindow(link)
  await window.focus()
  // Only a window that this worker controls can be navigated.
  return window.navigate(link).catch(() => clients.openWindow(link))
}
