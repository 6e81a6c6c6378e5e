/** A minimal browser: stores cookies and exposes redirects. */
export class Browser {
  private readonly cookies = new Map<string, string>()

  async open(url: string, init: RequestInit = {}) {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, cookie: this.cookie() },
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    const location = response.headers.get('location')
    return {
      status: response.status,
      location: location && new URL(location, url).toString(),
      text: await response.text(),
    }
  }

  cookie() {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }
}
