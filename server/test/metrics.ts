/** The samples of a scrape: value by series, as `name{label="value"}`. */
export type Scrape = ReadonlyMap<string, number>

export async function scrape(address: string | undefined): Promise<Scrape> {
  if (address === undefined) throw new Error('the service has no METRICS_PORT')
  const response = await fetch(address)
  const text = await response.text()
  if (!response.ok) throw new Error(`the scrape was answered with ${response.status}: ${text}`)
  return parseScrape(text)
}

function parseScrape(text: string): Scrape {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}
