export interface Page {
  /** The URL after all redirects. */
  url: string
  status: number
  text: string
}

/** A minimal browser: stores cookies, sends forms and follows redirects. */
export class Browser {
  private readonly cookies = new Map<string, string>()

  /** Opens an address, or sends it a form, and follows redirects. */
  async visit(address: string, form?: Record<string, string>, headers?: Record<string, string>): Promise<Page> {
    let url = address
    let response = await this.request(url, form, headers)
    for (let hops = 0; hops < 10; hops++) {
      const location = response.headers.get('location')
      if (location === null) return { url, status: response.status, text: await response.text() }
      await response.body?.cancel()
      url = new URL(location, url).href
      response = await this.request(url)
    }
    throw new Error(`${address} redirects without end`)
  }

  private async request(url: string, form?: Record<string, string>, headers?: Record<string, string>) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { ...headers, accept: 'text/html', cookie },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      this.cookies.set(name, value)
    }
    return response
  }
}
