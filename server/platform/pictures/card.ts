import { createRequire } from 'node:module'
import { imageLibrary } from './library.ts'

export interface Card {
  title: string
  text: string
  /** Shown at the bottom: the host of the link. */
  host: string
}

const card_size = { width: 1200, height: 630 }

const font = (weight: string) =>
  createRequire(import.meta.url).resolve(`@expo-google-fonts/figtree/${weight}/Figtree_${weight}.ttf`)

const background = `
<svg xmlns="http://www.w3.org/2000/svg" width="${card_size.width}" height="${card_size.height}">
  <linearGradient id="g" x2="1" y2="1"><stop stop-color="#123d2e"/><stop offset="1" stop-color="#1f6b4f"/></linearGradient>
  <rect width="100%" height="100%" fill="url(#g)"/>
  <g fill="none" stroke="#fff" stroke-linecap="round" stroke-linejoin="round">
    <path d="M11 24V9h6.2a4.9 4.9 0 0 1 0 9.8H11" stroke-width="3" opacity=".09" transform="translate(680 -60) scale(24)"/>
    <path d="M11 24V9h6.2a4.9 4.9 0 0 1 0 9.8H11" stroke-width="3" transform="translate(56 52) scale(2.4)"/>
  </g>
</svg>`

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** True if the font has all letters of the text. It only has Latin letters; other text is not drawn. */
export const canDraw = (text: string) => /^[\u0020-\u024f\u2010-\u2026]*$/.test(text)

/** Draws the preview picture of a link: 1200×630 pixels, as a PNG of about 20 kB. */
export async function drawCard({ title, text, host }: Card): Promise<Buffer> {
  const sharp = await imageLibrary()
  const line = (words: string, { px, weight, color = '#fff' }: { px: number; weight: string; color?: string }) => ({
    text: {
      text: `<span foreground="${color}">${words.replaceAll(/[&<>]/g, (mark) => escapes[mark] ?? '')}</span>`,
      // The name too: once several files of a family are loaded, the file alone does not choose the weight.
      font: `Figtree ${weight.slice(3)} ${px}`,
      fontfile: font(weight),
      width: card_size.width - 200,
      wrap: 'word-char' as const,
      spacing: 8,
      dpi: 72,
      rgba: true,
    },
  })
  const heading = await sharp(line(title, { px: title.length > 30 ? 56 : 76, weight: '700Bold' }))
    .png()
    .toBuffer({ resolveWithObject: true })
  const top = Math.max(150, 350 - Math.round(heading.info.height / 2))
  return sharp(Buffer.from(background))
    .composite([
      { input: line('Plaza', { px: 40, weight: '700Bold' }), left: 136, top: 72 },
      { input: heading.data, left: 80, top: top - 50 },
      {
        input: line(text, { px: 38, weight: '500Medium', color: '#cfe5db' }),
        left: 80,
        top: top - 50 + heading.info.height + 34,
      },
      { input: line(host, { px: 28, weight: '500Medium', color: '#9cc7b3' }), left: 80, top: 552 },
    ])
    .png({ palette: true })
    .toBuffer()
}
