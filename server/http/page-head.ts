import { html } from './html.ts'

export interface PageHead {
  title: string
  description: string
  /** The address of the page. */
  url: string
  /** The address of its picture: a PNG of 1200×630 pixels. */
  picture: string
}

/** Title, description, and the tags that other services use to preview a link to the page (Open Graph; X prefers its own first tag). */
export const pageHead = ({ title, description, url, picture }: PageHead) =>
  html`<title>${title}</title>
    <meta name="description" content="${description}" />
    <meta name="twitter:card" content="summary_large_image" />
    <meta property="og:type" content="website" />
    <meta property="og:site_name" content="Plaza" />
    <meta property="og:title" content="${title}" />
    <meta property="og:description" content="${description}" />
    <meta property="og:url" content="${url}" />
    <meta property="og:image" content="${picture}" />
    <meta property="og:image:type" content="image/png" />
    <meta property="og:image:width" content="1200" />
    <meta property="og:image:height" content="630" />
    <meta property="og:image:alt" content="${title}" />`
